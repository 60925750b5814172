/** Upstream: staging/src/k8s.io/kubectl/pkg/util/term (detachable reader), github.com/moby/term. */
import { CommandError } from "../base/errors.ts";

/** The bytes of keys such as `ctrl-p,ctrl-q` or `a,b`. */
export function parseDetachKeys(text: string): number[] {
  return text.split(",").map((key) => {
    if (key.length === 1) return key.charCodeAt(0);
    const control = /^ctrl-([a-z@[\\\]^_])$/.exec(key)?.[1];
    if (control === undefined) {
      throw new CommandError(`could not bind detach keys: Unknown character: '${key}'`);
    }
    return control === "@" ? 0 : control.charCodeAt(0) & 0x1f;
  });
}

/** Input that ends when the keys are pressed one after another. */
export async function* detachable(
  input: AsyncIterable<Uint8Array>,
  keys: readonly number[],
): AsyncGenerator<Uint8Array> {
  let matched = 0;
  for await (const chunk of input) {
    const kept: number[] = [];
    for (const byte of chunk) {
      if (byte === keys[matched]) {
        matched++;
        if (matched === keys.length) {
          if (kept.length > 0) yield Uint8Array.from(kept);
          return;
        }
        continue;
      }
      kept.push(...keys.slice(0, matched), byte);
      matched = 0;
    }
    if (kept.length > 0) yield Uint8Array.from(kept);
  }
}
