import type { Pod } from "#/api/core/v1.ts";
import type { Cause, Found } from "../base/cause.ts";
import type { Layer } from "../base/layer.ts";
import type { EventFact, View } from "../base/view.ts";
import { setupCause } from "./setup-failure.ts";

const reasons = [
  "FailedCreatePodSandBox",
  "FailedPodSandBoxStatus",
  "NetworkNotReady",
  "FailedSync",
  "FailedCreatePodContainer",
  "FailedPrepareDynamicResources",
];

interface SandboxCause {
  readonly name: string;
  readonly layer: Layer;
  readonly texts: RegExp;
  explain(
    match: RegExpExecArray,
    pod: Pod,
    view: View,
    event: EventFact,
  ): Omit<Found, "since" | "evidence">;
}

/** A cause that is recognised by why a Pod's sandbox, with its network, cannot be made. */
export const sandboxCause = (given: SandboxCause): Cause => ({
  ...setupCause({ ...given, reasons }),
  group: "sandbox",
});
