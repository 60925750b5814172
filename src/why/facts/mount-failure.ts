import type { Pod } from "#/api/core/v1.ts";
import type { Cause, Found } from "../base/cause.ts";
import { oneLine } from "../base/text.ts";
import type { View } from "../base/view.ts";
import { setupCause } from "./setup-failure.ts";

/** A volume that the node cannot attach or mount. */
interface MountFailure {
  /** Its name in the Pod, or of its PersistentVolume; "" if the text has none. */
  readonly volume: string;
  readonly text: string;
}

const reasons = [
  "FailedMount",
  "FailedAttachVolume",
  "FailedMapVolume",
  "FailedMountOnFilesystemMismatch",
];

function mountFailure(message: string): MountFailure {
  const parts =
    /^\w+\.\w+ failed for volume "([^"]*)" (?:\(UniqueName[^)]*\) )?(?:from node "[^"]*" )?: ?(.*)$/s.exec(
      message,
    );
  const unmounted = /unmounted volumes=\[([^\]]*)\]/.exec(message)?.[1];
  const attached = /(?:error )?for volume "([^"]*)"/.exec(message)?.[1];
  return { volume: parts?.[1] ?? unmounted ?? attached ?? "", text: parts?.[2] ?? message };
}

interface MountCause {
  readonly name: string;
  readonly texts: RegExp;
  explain(
    match: RegExpExecArray,
    failure: MountFailure,
    pod: Pod,
    view: View,
  ): Omit<Found, "since" | "evidence">;
}

/** A cause that is recognised by why a volume cannot be mounted. */
export const mountCause = ({ name, texts, explain }: MountCause): Cause =>
  setupCause({
    name,
    layer: "volumes",
    reasons,
    texts,
    explain: (match, pod, view, { message }) => explain(match, mountFailure(message), pod, view),
  });

/** ` "data"`; nothing if the name is unknown. */
export const volumeText = ({ volume }: MountFailure): string => (volume ? ` "${volume}"` : "");

export const mountText = ({ text }: MountFailure): string =>
  oneLine(
    text.replace(/^.*\bOutput: /s, "").replace(/\/\S*\/pods\/[^\s:]+/g, "the mount point"),
    200,
  );
