import { type MaybePromise, whenSettled } from "#/std/base/maybe-promise.ts";
import type { Attributes, Authorizer, Decision, KnownRules } from "../model/authorizer.ts";
import type { UserInfo } from "../model/exchange.ts";
import { aggregate } from "./base/aggregate.ts";

/**
 * Calls authorizers in order until one has an opinion. Synchronous as long as they are.
 *
 * Upstream: staging/src/k8s.io/apiserver/pkg/authorization/union/union.go.
 */
export class UnionAuthorizer implements Authorizer {
  readonly name = "union";
  readonly #chain: readonly Authorizer[];

  constructor(chain: readonly Authorizer[]) {
    this.#chain = chain;
  }

  authorize(attributes: Attributes): MaybePromise<Decision> {
    return this.#ask(attributes, 0, []);
  }

  rulesFor(user: UserInfo, namespace: string): KnownRules {
    const known = this.#chain.flatMap((authorizer) => authorizer.rulesFor?.(user, namespace) ?? []);
    return {
      rules: known.flatMap(({ rules }) => rules),
      incomplete: known.some(({ incomplete }) => incomplete),
      errors: known.flatMap(({ errors }) => (errors.length > 0 ? [aggregate(errors)] : [])),
    };
  }

  #ask(attributes: Attributes, from: number, silent: readonly Undecided[]): MaybePromise<Decision> {
    const authorizer = this.#chain[from];
    if (!authorizer) return summary(silent);
    return whenSettled(authorizer.authorize(attributes), (answer) =>
      answer.decision === "no-opinion"
        ? this.#ask(attributes, from + 1, add(silent, authorizer, answer))
        : answer,
    );
  }
}

/** The reason of an authorizer without an opinion. */
interface Undecided {
  readonly name: string;
  readonly reason: string;
  readonly error: Error | undefined;
}

function add(
  list: readonly Undecided[],
  { name }: Authorizer,
  { reason, error }: Decision,
): readonly Undecided[] {
  return reason === "" && error === undefined ? list : [...list, { name, reason, error }];
}

const noOpinion: Decision = { decision: "no-opinion", reason: "" };

function summary(list: readonly Undecided[]): Decision {
  if (list.length === 0) return noOpinion;
  const reasons = list.filter(({ reason }) => reason !== "");
  const reason = reasons.map((one) => `${one.name}: ${one.reason}`).join("\n");
  const errors = list.flatMap(({ error }) => (error ? [error] : []));
  if (errors.length === 0) return { decision: "no-opinion", reason };
  const error = new Error(aggregate(errors.map(({ message }) => message)));
  return { decision: "no-opinion", reason, error };
}
