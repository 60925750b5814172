import type { Pod } from "#/api/core/v1.ts";
import { pods } from "#/api/core/v1.ts";
import { humanDuration } from "#/machinery/time/human-duration.ts";
import { subjectOf } from "../base/any-object.ts";
import { type Cause, cause, type Found } from "../base/cause.ts";
import { oneLine, timeOf } from "../base/text.ts";
import type { View } from "../base/view.ts";
import { type ContainerFacts, findWaiting, waitingMessage, waitingReason } from "./containers.ts";
import { podEvent } from "./pod-events.ts";
import { isManaged, workloadOf } from "./workload.ts";

/** A container whose image the node cannot get. */
interface ImageFailure {
  readonly container: ContainerFacts;
  readonly image: string;
  readonly registry: string;
  /** What the runtime says. */
  readonly text: string;
  readonly since: string | undefined;
  readonly evidence: readonly string[];
  /** A command that sets another image. */
  readonly setImage: string;
}

const failedPulls = [
  "ErrImagePull",
  "ImagePullBackOff",
  "RegistryUnavailable",
  "SignatureValidationFailed",
];

/** The first container of a Pod whose image cannot be pulled. */
export function imageFailure(pod: Pod, view: View): ImageFailure | undefined {
  const container = findWaiting(pod, failedPulls);
  if (!container) return undefined;
  const said = waitingMessage(container);
  // A container waits for the images of its volumes, too.
  const image = pulledImage.exec(said)?.[1] ?? container.spec.image ?? "";
  const isOfImage = (message: string): boolean =>
    message.startsWith("Failed to pull image") && message.includes(image);
  const event = podEvent(pod, view, ["Failed"], isOfImage);
  const text = /rpc error|: \w+:/.test(said) ? said : (event?.message ?? said);
  const tries = event?.count ?? 1;
  return {
    container,
    image,
    registry: registryOf(image),
    text,
    since: timeOf(event?.firstMs),
    evidence: [
      `${container.label} waits: ${waitingReason(container)}`,
      `the node says: ${oneLine(withoutRepeats(text))}`,
      ...(event ? [nextTry(tries, event.lastMs, view.nowMs)] : []),
    ],
    setImage: setImageLine(pod, container, view, image),
  };
}

const pulledImage = /^(?:Back-off pulling|Failed to pull) image "([^"]+)"/;

/** The kubelet's back-off (ms) after a first failure, and its limit. */
const firstBackoffMs = 10_000;
const maxBackoffMs = 300_000;

function nextTry(tries: number, lastMs: number, nowMs: number): string {
  const pauseMs = Math.min(maxBackoffMs, firstBackoffMs * 2 ** Math.min(tries - 1, 10));
  const leftMs = lastMs + pauseMs - nowMs;
  const next = leftMs > 1000 ? `in about ${humanDuration(leftMs)}` : "soon";
  return `failed ${tries === 1 ? "once" : `${tries} times`}; the kubelet tries again by itself ${next}`;
}

/** The kubelet's prefixes, which say nothing new. */
const withoutRepeats = (text: string): string =>
  text
    .replace(/^Back-off pulling image "[^"]*": /, "")
    .replace(/^Failed to pull image "[^"]*": /, "")
    .replace(/^ErrImagePull: /, "")
    .replace(/^rpc error: code = \w+ desc = /, "");

/** `docker.io` of `nginx`, `host:5000` of `host:5000/app`. */
function registryOf(image: string): string {
  const [first = "", ...rest] = image.split("/");
  return rest.length > 0 && /[.:]|^localhost$/.test(first) ? first : "docker.io";
}

/** A command that gives a container another image, in the object whose template it is. */
export function setImageLine(
  pod: Pod,
  { name, spec }: ContainerFacts,
  view: View,
  image = spec.image,
): string {
  const ofVolume = (pod.spec.volumes ?? []).find((volume) => volume.image?.reference === image);
  if (image !== spec.image && ofVolume) {
    return `# correct the image of the volume "${ofVolume.name}"`;
  }
  const subject = subjectOf(pods, pod);
  const target = isManaged(pod) ? workloadOf(pod, view) : `pod/${subject.name}`;
  return `kubectl set image ${target} ${name}=IMAGE:TAG`;
}

interface ImageCause {
  readonly name: string;
  readonly texts: RegExp;
  readonly certainty?: Found["certainty"];
  explain(failure: ImageFailure, pod: Pod): Pick<Found, "sentence" | "fix">;
}

/** A cause that is recognised by what the runtime says about a pull. */
export const imageCause = ({ name, texts, certainty = "proven", explain }: ImageCause): Cause =>
  cause<Pod>({
    name,
    layer: "image",
    group: "image",
    of: [pods],
    find(pod, view) {
      const failure = imageFailure(pod, view);
      if (!failure || !texts.test(failure.text)) return undefined;
      const { since, evidence, container } = failure;
      const { sentence, fix = [] } = explain(failure, pod);
      const of = container.role === "container" ? "" : ` (of ${container.label})`;
      const docs = "docs/how-to/images.md";
      return { certainty, since, evidence, docs, fix, sentence: `${sentence}${of}` };
    },
  });
