import type { Failure } from "../failure.ts";
import { admissionFailures } from "./admission.ts";
import { clusterFailures } from "./cluster.ts";
import { containerFailures } from "./containers.ts";
import { controllerFailures } from "./controllers.ts";
import { nodeFailures } from "./nodes.ts";
import { objectFailures } from "./objects.ts";
import { pitfallFailures } from "./pitfalls.ts";
import { programFailures } from "./programs.ts";
import { rolloutFailures } from "./rollouts.ts";
import { schedulingFailures } from "./scheduling.ts";
import { serviceFailures } from "./services.ts";
import { volumeFailures } from "./volumes.ts";

export const failures: readonly Failure[] = [
  ...containerFailures,
  ...programFailures,
  ...schedulingFailures,
  ...nodeFailures,
  ...volumeFailures,
  ...controllerFailures,
  ...admissionFailures,
  ...objectFailures,
  ...serviceFailures,
  ...rolloutFailures,
  ...clusterFailures,
  ...pitfallFailures,
];
