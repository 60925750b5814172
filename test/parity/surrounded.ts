import type { Surroundings } from "./case.ts";
import type { Target } from "./reference.ts";

/** A server whose clients have the credentials of its surroundings, and whose answers don't contain them. */
export function surroundedBy(target: Target, { credentials, conceal }: Surroundings): Target {
  return {
    async send(raw) {
      const named = raw.as === undefined ? undefined : credentials[raw.as];
      if (raw.as !== undefined && !named) throw new Error(`there is no credential ${raw.as}`);
      const answer = await target.send({ ...raw, ...(named ? { credential: named } : {}) });
      return { ...answer, text: conceal(answer.text) };
    },
    [Symbol.asyncDispose]: () => target[Symbol.asyncDispose](),
  };
}
