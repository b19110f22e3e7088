// Bytes over commits.
"use strict";

overCommits(["ram", "flash", "arena", "stack"]);
