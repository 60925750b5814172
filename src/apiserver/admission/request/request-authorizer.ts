import {
  AuthorizerValue,
  type PermissionCheck,
  type PermissionDecision,
  ResourceCheckValue,
} from "#/machinery/cel/library/values/authorizer-value.ts";
import type { Steps } from "#/std/base/steps.ts";
import { type Authorizer, type Decision, noAttributes } from "../../model/authorizer.ts";
import { inPace, type Pace } from "../../model/pace.ts";
import type { Attributes } from "../../registry/admission.ts";

/** Thrown when an expression needs an asynchronous decision; then the expression is evaluated again. */
class Pending extends Error {
  readonly answer: Promise<unknown>;
  constructor(answer: Promise<unknown>) {
    super("the answer of an authorizer is not there yet");
    this.answer = answer;
  }
}

/** Limit of asynchronous decisions of one evaluation (count): more than its cost limit allows. */
const maxQuestions = 1000;

/**
 * Authorization checks in expressions. Expressions are evaluated synchronously, so an asynchronous decision interrupts
 * them: they run again once it is known. Each check is done once.
 */
export class RequestAuthorizer {
  readonly value: AuthorizerValue;
  readonly requestResource: ResourceCheckValue;
  readonly #authorizer: Authorizer;
  readonly #pace: Pace | undefined;
  readonly #answers = new Map<string, PermissionDecision>();

  constructor(authorizer: Authorizer, attributes: Attributes) {
    const { user, resource, subresource, namespace, name } = attributes;
    this.#authorizer = authorizer;
    this.#pace = attributes.pace;
    const { name: username, uid = "", groups } = user;
    this.value = new AuthorizerValue({ username, uid, groups }, (question) =>
      this.#answer(question, user.name === question.user.username ? user.extra : undefined),
    );
    this.requestResource = new ResourceCheckValue(this.value, {
      group: resource.group,
      resource: resource.name,
      subresource,
      namespace,
      name,
    });
  }

  /** Runs an evaluation again and again until all decisions are known. */
  async evaluate<T>(evaluation: () => Steps<T>): Promise<T> {
    for (let asked = 0; ; asked++) {
      try {
        return await inPace(this.#pace, "expressions", evaluation());
      } catch (error) {
        if (!(error instanceof Pending) || asked === maxQuestions) throw error;
        await error.answer;
      }
    }
  }

  #answer(question: PermissionCheck, extra: Attributes["user"]["extra"]): PermissionDecision {
    const key = JSON.stringify(question);
    const known = this.#answers.get(key);
    if (known) return known;
    const decision = this.#authorizer.authorize(asAttributes(question, extra));
    if (decision instanceof Promise) {
      throw new Pending(decision.then((late) => this.#answers.set(key, answerOf(late))));
    }
    const answer = answerOf(decision);
    this.#answers.set(key, answer);
    return answer;
  }
}

function answerOf({ decision, reason, error }: Decision): PermissionDecision {
  return { allowed: decision === "allow", reason, ...(error ? { error: error.message } : {}) };
}

function asAttributes(question: PermissionCheck, extra: Attributes["user"]["extra"]) {
  const { username: name, uid, groups } = question.user;
  const user = { name, uid, groups, ...(extra ? { extra } : {}) };
  const { verb } = question;
  if ("path" in question) {
    return { ...noAttributes, isResourceRequest: false, user, verb, path: question.path };
  }
  return {
    ...noAttributes,
    user,
    verb,
    apiGroup: question.group,
    apiVersion: "*",
    resource: question.resource,
    subresource: question.subresource ?? "",
    namespace: question.namespace ?? "",
    name: question.name ?? "",
    fieldSelector: question.fieldSelector ?? "",
    labelSelector: question.labelSelector ?? "",
  };
}
