import { type Pod, pods } from "#/api/core/v1.ts";
import type {
  ImageReview,
  ImageReviewSpec,
  ImageReviewStatus,
} from "#/api/imagepolicy/v1alpha1-definitions.ts";
import { exponentialBackoff } from "#/std/time/backoff.ts";
import { ExpiringCache } from "../../auth/base/expiring-cache.ts";
import { WebhookClient } from "../../outgoing/webhook-client.ts";
import { readWebhookKubeconfig } from "../../outgoing/webhook-kubeconfig.ts";
import { type Admitted, admissionPlugin } from "../base/admission-plugin.ts";
import { forbid } from "../base/forbid.ts";

/** The plugin's section of its file; times in the units of the file. */
interface Settings {
  readonly kubeConfigFile?: string;
  /** Seconds. */
  readonly allowTTL?: number;
  /** Seconds. */
  readonly denyTTL?: number;
  /** Milliseconds. */
  readonly retryBackoff?: number;
  readonly defaultAllow?: boolean;
}

/** In milliseconds: 0 in the file means the default, -1 none. */
interface Range {
  readonly unitMs: number;
  readonly leastMs: number;
  readonly mostMs: number;
  readonly defaultMs: number;
}

const minuteMs = 60_000;
const allowRange: Range = {
  unitMs: 1000,
  leastMs: 1000,
  mostMs: 30 * minuteMs,
  defaultMs: 5 * minuteMs,
};
const denyRange: Range = { ...allowRange, defaultMs: minuteMs / 2 };
const backoffRange: Range = { unitMs: 1, leastMs: 1, mostMs: 5 * minuteMs, defaultMs: 500 };

const auditPrefix = "imagepolicywebhook.image-policy.k8s.io/";
const failedOpenAnnotation = "alpha.image-policy.k8s.io/failed-open";
const answersKept = 1024;
const timeoutMs = 30_000;

/** Checks a pod's images by a webhook. Upstream: plugin/pkg/admission/imagepolicy/admission.go. */
export const imagePolicyWebhook = admissionPlugin<Pod>({
  name: "ImagePolicyWebhook",
  offByDefault: true,
  on: pods,
  subresources: ["", "ephemeralcontainers"],
  operations: ["CREATE", "UPDATE"],
  open({ clock }, configuration) {
    const { imagePolicy: settings } = (configuration ?? {}) as { imagePolicy?: Settings };
    if (!settings) throw new Error("no config specified");
    const baseMs = durationMs(settings.retryBackoff, backoffRange);
    const client = new WebhookClient({
      endpoint: readWebhookKubeconfig(settings.kubeConfigFile ?? ""),
      timeoutMs,
      clock,
      backoff: exponentialBackoff({ baseMs, maxMs: backoffRange.mostMs, factor: 1.5, jitter: 0.2 }),
    });
    const allowMs = durationMs(settings.allowTTL, allowRange);
    const denyMs = durationMs(settings.denyTTL, denyRange);
    const answers = new ExpiringCache<ImageReviewStatus>(answersKept, clock);
    const ask = async (spec: ImageReviewSpec): Promise<ImageReviewStatus> => {
      const key = JSON.stringify(spec);
      const known = answers.get(key);
      if (known) return known;
      const review = { kind: "ImageReview", apiVersion: "imagepolicy.k8s.io/v1alpha1", spec };
      const { status = { allowed: false } } = (await client.post(review)) as ImageReview;
      answers.set(key, status, status.allowed ? allowMs : denyMs);
      return status;
    };
    return {
      async validate(attributes) {
        let status: ImageReviewStatus;
        try {
          status = await ask(reviewOf(attributes));
        } catch (error) {
          if (!settings.defaultAllow) throw forbid(attributes, (error as Error).message);
          noteFailure(attributes);
          return;
        }
        judge(attributes, status);
      },
    };
  },
});

function durationMs(value: number | undefined, range: Range): number {
  if (value === -1) return 0;
  if (!value) return range.defaultMs;
  const ms = value * range.unitMs;
  if (ms >= range.leastMs && ms <= range.mostMs) return ms;
  throw new Error(`valid value is between ${range.leastMs}ms and ${range.mostMs}ms, got ${ms}ms`);
}

function reviewOf({ object: pod, subresource, namespace }: Admitted<Pod>): ImageReviewSpec {
  const { containers, initContainers = [], ephemeralContainers = [] } = pod.spec;
  const asked = subresource === "" ? [...containers, ...initContainers] : ephemeralContainers;
  const annotations = Object.entries(pod.metadata.annotations ?? {}).filter(([key]) =>
    key.includes(".image-policy.k8s.io/"),
  );
  return {
    containers: asked.map(({ image }) => (image ? { image } : {})),
    ...(annotations.length > 0 ? { annotations: Object.fromEntries(annotations) } : {}),
    ...(namespace === "" ? {} : { namespace }),
  };
}

function noteFailure({ object, annotate }: Admitted<Pod>): void {
  annotate(`${auditPrefix}failed-open`, "true");
  const { metadata } = object;
  metadata.annotations = { ...metadata.annotations, [failedOpenAnnotation]: "true" };
}

function judge(attributes: Admitted<Pod>, { allowed, reason, ...status }: ImageReviewStatus): void {
  for (const [key, value] of Object.entries(status.auditAnnotations ?? {})) {
    attributes.annotate(auditPrefix + key, value);
  }
  if (allowed) return;
  throw forbid(
    attributes,
    reason
      ? `image policy webhook backend denied one or more images: ${reason}`
      : "one or more images rejected by webhook backend",
  );
}
