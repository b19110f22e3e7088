// Time, throughput, accuracy and energy over commits.
"use strict";

overCommits(["count", "latency", "fps", "accuracy", "energy", "assumed", "frames", "assumed_frames"]);
