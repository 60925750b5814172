import { logger } from "#/std/log/log.ts";
import type { Clock } from "#/std/time/clock.ts";
import type { ImageService } from "../cri/runtime-service.ts";
import type { Pressure } from "../state/pressure.ts";
import type { StoredValue } from "../state/stored-value.ts";
import type { VolumesInUse } from "../state/volumes-in-use.ts";
import { type FilesystemFacts, type MachineFacts, readFilesystem } from "./machine-facts.ts";
import type { CurrentState } from "./node-agent.ts";
import { type CapacitySettings, nodeAllocatable, nodeCapacity } from "./node-capacity.ts";
import { nodeImages } from "./node-images.ts";
import type { RuntimeCheck } from "./runtime-check.ts";
import { runtimeProblems } from "./runtime-health.ts";

interface NodeStateOptions {
  readonly images: Pick<ImageService, "ListImages">;
  readonly runtime: Pick<RuntimeCheck, "check" | "health" | "version">;
  readonly clock: Clock;
  readonly facts: MachineFacts;
  readonly capacity: CapacitySettings;
  /** `--root-dir`; its file system is the node's ephemeral storage. */
  readonly rootDirectory: string;
  readonly ips: readonly string[];
  readonly hostname: string;
  readonly externalCloudProvider: boolean;
  readonly isIpGiven: boolean;
  readonly kubeletVersion: string;
  readonly kubeletPort: number;
  readonly maxImages: number;
  readonly declaredFeatures: readonly string[];
  readonly inUse: Pick<VolumesInUse, "names">;
  readonly pressure: Pick<StoredValue<Pressure>, "value">;
  /** Further reasons why the node isn't ready. */
  problems(): readonly string[];
}

const log = logger("node-state");
/** Limit of a request to the runtime (ms). */
const requestMs = 10_000;
/** How long a list of images is used (ms), as upstream's: the status may be read several times a second. */
const imagesMs = 30_000;

/** Reads the input of a node's status from the machine and the runtime. */
export class NodeState {
  readonly #options: NodeStateOptions;
  #filesystem: FilesystemFacts | undefined;
  #listed: { readonly images: CurrentState["images"]; readonly atMs: number } | undefined;

  constructor(options: NodeStateOptions) {
    this.#options = options;
  }

  async current(): Promise<CurrentState> {
    const { images, runtime, inUse, clock, capacity, rootDirectory, maxImages, ...rest } =
      this.#options;
    const { facts } = rest;
    await runtime.check();
    this.#filesystem ??= readFilesystem(rootDirectory);
    const total = nodeCapacity(facts, this.#filesystem, capacity);
    return {
      ...rest,
      capacity: total,
      allocatable: nodeAllocatable(total, capacity),
      runtimeVersion: runtime.version ?? "remote://Unknown",
      images: await this.#images(),
      runtime: runtime.health.status,
      volumesInUse: inUse.names(),
      pressure: rest.pressure.value,
      problems: [...runtimeProblems(runtime.health, clock.now()), ...rest.problems()],
    };
  }

  async #images(): Promise<CurrentState["images"]> {
    const { maxImages, clock } = this.#options;
    const nowMs = clock.monotonicMs();
    if (this.#listed && nowMs - this.#listed.atMs < imagesMs) return this.#listed.images;
    try {
      const { images } = await this.#options.images.ListImages({}, { timeoutMs: requestMs });
      this.#listed = { images: nodeImages(images, maxImages), atMs: nowMs };
    } catch (error) {
      log.error(error, "failed to list images");
    }
    return this.#listed?.images ?? [];
  }
}
