import { type Pod, pods } from "#/api/core/v1.ts";
import { cause } from "../../base/cause.ts";
import { findWaiting, waitingMessage } from "../../facts/containers.ts";
import { setImageLine } from "../../facts/image-failure.ts";

export const imageInvalidName = cause<Pod>({
  name: "image-invalid-name",
  layer: "image",
  of: [pods],
  find(pod, view) {
    const container = findWaiting(pod, ["InvalidImageName"]);
    if (!container) return undefined;
    return {
      sentence: `"${container.spec.image}" is no valid image name${problemOf(container.spec.image ?? "")}`,
      evidence: [`${container.label} waits: ${waitingMessage(container)}`],
      fix: [setImageLine(pod, container, view)],
    };
  },
});

/** What is wrong with a name, within parentheses; "" if that is not one of the usual mistakes. */
function problemOf(image: string): string {
  const [name = "", digest] = image.split("@");
  if (/^\w+:\/\//.test(image)) return " (it must not begin with a scheme such as https://)";
  if (/[A-Z\s]/.test(name.replace(/:[^:/]*$/, "")))
    return " (upper-case letters and blanks are not allowed)";
  if (digest !== undefined && !/^sha256:[0-9a-f]{64}$/.test(digest))
    return " (the digest after @ must be sha256: and 64 hexadecimal digits)";
  return "";
}
