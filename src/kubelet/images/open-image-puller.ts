import type { Clock } from "#/std/time/clock.ts";
import type { KubeletConfiguration } from "../config/kubelet-configuration.ts";
import type { ImageService } from "../cri/runtime-service.ts";
import { ImagePuller } from "./image-puller.ts";
import { PullRecords, type VerificationPolicy } from "./pull-records.ts";

interface OpenImagePullerOptions {
  readonly images: ImageService;
  readonly clock: Clock;
  /** `--root-dir`. */
  readonly root: string;
  readonly config: KubeletConfiguration;
}

/** The puller of images, as configured. */
export function openImagePuller({ images, clock, root, config }: OpenImagePullerOptions) {
  const { imagePullCredentialsVerificationPolicy: policy } = config;
  return new ImagePuller({
    images,
    clock,
    maxParallel: config.serializeImagePulls ? 1 : config.maxParallelImagePulls,
    qps: config.registryPullQPS,
    burst: config.registryBurst,
    records: new PullRecords({
      root,
      policy: (policy || "NeverVerifyPreloadedImages") as VerificationPolicy,
      allowlist: config.preloadedImagesVerificationAllowlist ?? [],
      clock,
    }),
  });
}
