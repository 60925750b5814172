/** Upstream: pkg/kubelet/images/image_manager.go, pkg/kubelet/images/puller.go. */
import type { Pod, PullPolicy, Secret } from "#/api/core/v1.ts";
import { formatDuration } from "#/std/go/duration.ts";
import { GrpcError } from "#/std/grpc/grpc.ts";
import { logger } from "#/std/log/log.ts";
import type { Clock } from "#/std/time/clock.ts";
import { repeat } from "#/std/time/repeat.ts";
import type { Image, ImageSpec } from "../cri/image-messages.ts";
import type { ImageService } from "../cri/runtime-service.ts";
import type { PodSandboxConfig } from "../cri/sandbox-messages.ts";
import { StartError } from "../state/start-error.ts";
import { BackoffTable } from "./backoff-table.ts";
import { ImageNameError, parseImageName, withDefaultTag } from "./image-name.ts";
import { Keyring, type PullCredential } from "./keyring.ts";
import type { PullRecords } from "./pull-records.ts";
import { PullSlots } from "./pull-slots.ts";

const initialBackoffMs = 10_000;
const maxBackoffMs = 300_000;
const pruneMs = 300_000;

const log = logger("kubelet");

interface ImageRequest {
  readonly pod: Pod;
  readonly image: string;
  readonly policy: PullPolicy | undefined;
  readonly secrets: readonly Secret[];
  readonly sandboxConfig: PodSandboxConfig;
  readonly runtimeHandler: string;
  /** Aborts when the pod has to end: the pull is cancelled. */
  readonly signal: AbortSignal;
  /** Records an event about the container (or volume) that needs the image. */
  readonly recordEvent: (type: "Normal" | "Warning", reason: string, message: string) => void;
}

interface ImagePullerOptions {
  readonly images: ImageService;
  readonly clock: Clock;
  /** Limit of concurrent pulls; undefined is no limit. */
  readonly maxParallel: number | undefined;
  readonly qps: number;
  readonly burst: number;
  readonly records: PullRecords;
}

/** An image that the node has. */
export interface PresentImage {
  /** The runtime's reference of it. */
  readonly ref: string;
  readonly image: Image | undefined;
  /** It was not pulled for this request. */
  readonly wasPresent?: boolean;
}

/** Ensures that images are present, by each container's pull policy. */
export class ImagePuller {
  readonly #images: ImageService;
  readonly #clock: Clock;
  readonly #slots: PullSlots;
  readonly #records: PullRecords;
  /** By pod and image, with the last failure. */
  readonly #backoff: BackoffTable;

  constructor(options: ImagePullerOptions) {
    this.#images = options.images;
    this.#clock = options.clock;
    this.#slots = new PullSlots(options);
    this.#records = options.records;
    this.#backoff = new BackoffTable({
      initialMs: initialBackoffMs,
      maxMs: maxBackoffMs,
      clock: options.clock,
    });
  }

  /** The image, pulled if necessary. Throws StartError with the waiting reason of the container. */
  async ensure(request: ImageRequest): Promise<PresentImage> {
    const { image, policy, recordEvent } = request;
    const spec = this.#specOf(request);
    if (policy !== "Always") {
      const present = await this.#find(spec, recordEvent);
      if (present && !(await this.#records.mustPull(image, present.id, credentialsOf(request)))) {
        recordEvent(
          "Normal",
          "Pulled",
          `Container image "${image}" already present on machine and can be accessed by the pod`,
        );
        return { ref: present.id, image: present, wasPresent: true };
      }
      if (policy === "Never") {
        const message = `Container image "${image}" is not present with pull policy of Never`;
        recordEvent("Warning", "ErrImageNeverPull", message);
        throw new StartError("ErrImageNeverPull", message);
      }
    }
    return this.#pull(request, spec);
  }

  /** Drops pull records of images that no longer exist, periodically, until the signal aborts. */
  async keepRecords(signal: AbortSignal): Promise<void> {
    const prune = async () => {
      this.#backoff.collect();
      const { images } = await this.#images.ListImages({});
      await this.#records.prune(new Set(images.map(({ id }) => id)));
    };
    const failed = (error: unknown) => log.error(error, "failed to clean up image pull records");
    await repeat(prune, { clock: this.#clock, everyMs: pruneMs, failed }, signal);
  }

  #specOf({ image, pod, runtimeHandler, recordEvent }: ImageRequest): ImageSpec {
    try {
      const annotations = pod.metadata.annotations ?? {};
      return { image: withDefaultTag(image), annotations, runtimeHandler };
    } catch (error) {
      if (!(error instanceof ImageNameError)) throw error;
      const message = `Failed to apply default image tag "${image}": ${error.message}`;
      recordEvent("Warning", "InspectFailed", message);
      throw new StartError("InvalidImageName", message);
    }
  }

  async #find(
    spec: ImageSpec,
    recordEvent: ImageRequest["recordEvent"],
  ): Promise<Image | undefined> {
    try {
      return (await this.#images.ImageStatus({ image: spec })).image;
    } catch (error) {
      const message = `Failed to inspect image "": ${rpcText(error)}`;
      recordEvent("Warning", "InspectFailed", message);
      throw new StartError("ImageInspectError", message);
    }
  }

  async #pull(request: ImageRequest, spec: ImageSpec): Promise<PresentImage> {
    const { pod, image, recordEvent } = request;
    const key = `${pod.metadata.uid}_${image}`;
    const waitMs = this.#backoff.remainingSinceUpdateMs(key);
    if (waitMs > 0) {
      const message = `Back-off pulling image "${image}"`;
      recordEvent("Normal", "BackOff", message);
      const before = this.#backoff.reason(key);
      const full = before === "" ? message : `${message}: ${before}`;
      throw new StartError("ImagePullBackOff", full, { retryAfterMs: waitMs });
    }
    this.#backoff.collect();
    recordEvent("Normal", "Pulling", `Pulling image "${image}"`);
    const askedMs = this.#clock.monotonicMs();
    try {
      await this.#records.pulling(image);
      const { pullMs, ...pulled } = await this.#slots.run(
        () => this.#attempt(request, spec),
        request.signal,
      );
      const took = formatDuration(Math.trunc(pullMs));
      const inAll = formatDuration(Math.trunc(this.#clock.monotonicMs() - askedMs));
      recordEvent(
        "Normal",
        "Pulled",
        `Successfully pulled image "${image}" in ${took} (${inAll} including waiting). Image size: ${pulled.image?.size ?? 0} bytes.`,
      );
      return pulled;
    } catch (error) {
      await this.#records.failed(image);
      request.signal.throwIfAborted();
      const text = rpcText(error);
      recordEvent("Warning", "Failed", `Failed to pull image "${image}": ${text}`);
      const failure = explainPull(image, text);
      this.#backoff.next(key, this.#clock.now(), `${failure.reason}: ${failure.message}`);
      throw failure;
    }
  }

  async #attempt(
    request: ImageRequest,
    spec: ImageSpec,
  ): Promise<PresentImage & { readonly pullMs: number }> {
    const startedMs = this.#clock.monotonicMs();
    const { ref, used } = await this.#withAny(credentialsOf(request), spec, request);
    await this.#records.pulled(request.image, ref, used);
    const pullMs = this.#clock.monotonicMs() - startedMs;
    const status = await this.#images.ImageStatus({ image: spec }).catch(() => undefined);
    return { ref, pullMs, image: status?.image };
  }

  async #withAny(
    credentials: readonly PullCredential[],
    image: ImageSpec,
    { sandboxConfig, signal }: ImageRequest,
  ): Promise<{ ref: string; used: PullCredential | undefined }> {
    if (credentials.length === 0) {
      const { imageRef } = await this.#images.PullImage({ image, sandboxConfig }, { signal });
      return { ref: imageRef, used: undefined };
    }
    const failures: string[] = [];
    for (const used of credentials) {
      try {
        const { auth } = used;
        const request = { image, auth, sandboxConfig };
        const { imageRef } = await this.#images.PullImage(request, { signal });
        return { ref: imageRef, used };
      } catch (error) {
        signal.throwIfAborted();
        failures.push(rpcText(error));
      }
    }
    const different = [...new Set(failures)];
    throw new Error(different.length === 1 ? different[0] : `[${different.join(", ")}]`);
  }
}

/** The credentials of the pod's secrets for the registry of an image. */
function credentialsOf({ image, secrets }: ImageRequest): readonly PullCredential[] {
  const keyring = new Keyring();
  for (const secret of secrets) keyring.addSecret(secret);
  return keyring.lookup(parseImageName(image).repository);
}

/**
 * Limit of a runtime's message (characters): a registry writes what it likes into the error of a pull. Upstream has
 * none, and can't report the status of a Pod whose message is larger than a request may be.
 */
const maxMessageChars = 16_384;

/** The message of a failed call as in Go's gRPC. */
export function rpcText(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  if (!(error instanceof GrpcError)) return shortened(text);
  return shortened(`rpc error: code = ${goCode(error.code)} desc = ${error.details}`);
}

function shortened(text: string): string {
  return text.length <= maxMessageChars ? text : `${text.slice(0, maxMessageChars)}...`;
}

/** `NOT_FOUND` is `NotFound` in Go, `OK` and `DATA_LOSS` likewise; `CANCELLED` has one l. */
function goCode(code: string): string {
  if (code === "CANCELLED") return "Canceled";
  return code
    .split("_")
    .map((word) => word.charAt(0) + word.slice(1).toLowerCase())
    .join("");
}

function explainPull(image: string, text: string): StartError {
  for (const [name, why] of [
    ["RegistryUnavailable", "the registry is unavailable"],
    ["SignatureValidationFailed", "the signature validation failed"],
  ] as const) {
    if (text.startsWith(name)) {
      const rest = text.slice(name.length);
      return new StartError(name, `image pull failed for ${image} because ${why}${rest}`);
    }
  }
  return new StartError("ErrImagePull", text);
}
