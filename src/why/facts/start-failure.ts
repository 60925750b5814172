import { type Pod, pods } from "#/api/core/v1.ts";
import { type Cause, cause, type Found } from "../base/cause.ts";
import { count, oneLine } from "../base/text.ts";
import type { View } from "../base/view.ts";
import {
  type ContainerFacts,
  containersOf,
  endOf,
  waitingMessage,
  waitingReason,
} from "./containers.ts";
import { isStartFailure } from "./crash.ts";

/** A container that the runtime or the kubelet cannot create or start. */
interface StartFailure {
  readonly container: ContainerFacts;
  readonly reason: string;
  readonly text: string;
  readonly restarts: number;
}

const reasons = new Set([
  "CreateContainerConfigError",
  "CreateContainerError",
  "RunContainerError",
  "PreCreateHookError",
  "PreStartHookError",
  "PostStartHookError",
]);

/** The first container of a Pod that cannot be started. */
export function startFailure(pod: Pod): StartFailure | undefined {
  for (const container of containersOf(pod)) {
    const reason = waitingReason(container) ?? "";
    const restarts = container.status?.restartCount ?? 0;
    if (reasons.has(reason))
      return { container, reason, text: waitingMessage(container), restarts };
    const { status } = container;
    if (!isStartFailure(container) || status?.state?.running) continue;
    const end = endOf(container);
    return { container, reason: end?.reason ?? "", text: end?.message ?? "", restarts };
  }
  return undefined;
}

/** What the runtime says, without the layers through which it was passed. */
export const startText = (text: string): string =>
  oneLine(
    text
      .replace(/^.*(?:runc create failed|OCI runtime create failed|crun): /s, "")
      .replace(/^unable to start container process: /, "")
      .replace(/^error during container init: /, "")
      .replace(/: unknown$/, ""),
    200,
  );

interface StartCause {
  readonly name: string;
  readonly layer?: Found["layer"];
  readonly texts: RegExp;
  explain(
    failure: StartFailure,
    match: RegExpExecArray,
    pod: Pod,
    view: View,
  ): Pick<Found, "sentence"> & Partial<Pick<Found, "fix" | "about">>;
}

/** A cause that is recognised by why a container cannot be started. */
export const startCause = ({ name, layer = "containers", texts, explain }: StartCause): Cause =>
  cause<Pod>({
    name,
    layer,
    group: "start",
    of: [pods],
    find(pod, view) {
      const failure = startFailure(pod);
      const match = failure && texts.exec(failure.text);
      if (!failure || !match) return undefined;
      const { container, reason, text, restarts } = failure;
      const tries = restarts > 0 ? `, ${count(restarts, "try", "tries")}` : "";
      const evidence = [`${container.label}: ${reason}${tries}: ${oneLine(text)}`];
      return { evidence, ...explain(failure, match, pod, view) };
    },
  });
