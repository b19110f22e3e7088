// Time, accuracy and energy over commits.
"use strict";

overCommits(["count", "latency", "accuracy", "energy", "assumed"]);
