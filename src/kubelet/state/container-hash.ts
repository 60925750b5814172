/** Upstream: pkg/kubelet/container/helpers.go, staging/src/k8s.io/apimachinery/pkg/util/dump. */
import type { Container } from "#/api/core/v1.ts";

/**
 * A number, in hexadecimal, that changes with the parts of a container that may change while it exists. Equal to upstream's, so
 * that either kubelet keeps the other's containers: FNV-1a of Go's dump of the JSON of name and image.
 */
export function containerHash({ name, image = "" }: Pick<Container, "name" | "image">): string {
  const json = Buffer.from(escapeHtml(JSON.stringify({ image, name })));
  return fnv1a(`([]uint8)[${json.join(" ")}]`).toString(16);
}

/** Escapes of Go's JSON encoder. */
function escapeHtml(json: string): string {
  return json.replace(/[<>&]/g, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
  });
}

function fnv1a(text: string): number {
  let hash = 0x811c9dc5;
  for (const byte of Buffer.from(text)) hash = Math.imul(hash ^ byte, 0x01000193) >>> 0;
  return hash;
}
