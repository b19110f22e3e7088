// Time and accuracy over commits.
"use strict";

overCommits(["count", "latency", "accuracy"]);
