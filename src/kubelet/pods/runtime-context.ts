import type { Secret } from "#/api/core/v1.ts";
import type { RuntimeClass } from "#/api/node/v1.ts";
import type { Clock } from "#/std/time/clock.ts";
import type { Cri } from "../cri/runtime-service.ts";
import type { BackoffTable } from "../images/backoff-table.ts";
import type { ImagePuller } from "../images/image-puller.ts";
import type { RuntimeStatus } from "../node/runtime-health.ts";
import type { Directories } from "../state/directories.ts";
import type { PodEvents } from "../state/pod-events.ts";
import type { ContainerEnvironment, PodCgroups, PodVolumes } from "../state/pod-services.ts";
import type { PodSteps } from "../state/pod-steps.ts";
import type { UserNamespaces } from "./user-namespaces.ts";

/** The parts that starting and stopping containers needs. */
export interface RuntimeContext {
  readonly cri: Cri;
  readonly clock: Clock;
  readonly events: PodEvents;
  readonly steps: PodSteps;
  readonly directories: Directories;
  readonly images: ImagePuller;
  readonly volumes: Pick<PodVolumes, "containerMounts" | "containerDevices">;
  readonly environment: ContainerEnvironment;
  readonly cgroups: Pick<PodCgroups, "parent" | "containerResources" | "sandboxResources">;
  /** Back-off of restarts of containers. */
  readonly crashBackoff: BackoffTable;
  readonly seccompDefault: boolean;
  findRuntimeClass(name: string): RuntimeClass | undefined;
  readonly userNamespaces: UserNamespaces;
  /** The handlers that the runtime last reported; empty if it is too old to report them. */
  runtimeHandlers(): RuntimeStatus["runtimeHandlers"];
  getSecret(namespace: string, name: string): Promise<Secret>;
}
