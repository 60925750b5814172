import type { CloudAction } from "#/cloud/base/action.ts";
import { goQuote } from "#/std/go/go-quote.ts";
import type { Clock } from "#/std/time/clock.ts";
import type { AwsClient } from "../../client/aws-client.ts";
import type { Operation } from "../../client/operation.ts";
import type { Shape, Value } from "../../client/shape.ts";

/**
 * Text around the error of a call, as upstream has it: "error describing subnets: %q" quotes the error, "%v" and none
 * do not.
 */
type Failure = `${string}%q` | `${string}%v`;

/** One change of AWS, as a value. */
export interface AwsAction {
  readonly operation: Operation<object, Shape>;
  readonly params: object;
  readonly failure?: Failure | undefined;
}

/** An action whose parameters are those of its operation. */
export function action<P extends object, S extends Shape>(
  operation: Operation<P, S>,
  params: P,
  failure?: Failure,
): AwsAction {
  return { operation: operation as unknown as Operation<object, Shape>, params, failure };
}

/** Lists of EC2, whose errors upstream names. */
const listings: ReadonlyMap<string, string> = new Map([
  ["DescribeSecurityGroups", "security groups"],
  ["DescribeSubnets", "subnets"],
  ["DescribeRouteTables", "route tables"],
]);

interface SessionOptions {
  readonly client: AwsClient;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** What the actions change, for people: "load balancer a0123 of Service shop/web". */
  readonly of: string;
  /** True if actions are collected instead of applied. */
  readonly isDryRun: boolean;
}

/** Reads AWS and applies the actions that were planned from what was read, in order. */
export class Session {
  readonly #options: SessionOptions;
  readonly #actions: CloudAction[] = [];

  constructor(options: SessionOptions) {
    this.#options = options;
  }

  /** All actions so far. */
  get actions(): readonly CloudAction[] {
    return this.#actions;
  }

  async read<P extends object, S extends Shape>(
    operation: Operation<P, S>,
    params: P,
    failure?: Failure,
  ): Promise<Value<S>> {
    const { client, signal } = this.#options;
    try {
      return await client.call(operation, params, signal);
    } catch (error) {
      const listed = listings.get(operation.action);
      throw wrap(listed ? wrap(error, `error listing AWS ${listed}: %q`) : error, failure);
    }
  }

  /** Reads what an action of this session has created; a dry run takes what it would be. */
  async readCreated<P extends object, S extends Shape>(
    operation: Operation<P, S>,
    params: P,
    predicted: Value<S>,
    failure?: Failure,
  ): Promise<Value<S>> {
    return this.#options.isDryRun ? predicted : await this.read(operation, params, failure);
  }

  async applyAll(actions: readonly AwsAction[]): Promise<void> {
    for (const { operation, params, failure } of actions) {
      await this.apply(operation, params, undefined as never, failure);
    }
  }

  /** Applies a change; a dry run takes the predicted result. */
  async apply<P extends object, S extends Shape>(
    operation: Operation<P, S>,
    params: P,
    predicted: Value<S>,
    failure?: Failure,
  ): Promise<Value<S>> {
    const call = `${operation.service.prefix}:${operation.action}`;
    const copy = params as Readonly<Record<string, unknown>>;
    this.#actions.push({ call, params: copy, of: this.#options.of });
    return this.#options.isDryRun ? predicted : await this.read(operation, params, failure);
  }

  get signal(): AbortSignal {
    return this.#options.signal;
  }

  get isDryRun(): boolean {
    return this.#options.isDryRun;
  }

  async sleep(ms: number): Promise<void> {
    if (this.#options.isDryRun) return;
    await this.#options.clock.sleep(ms, this.#options.signal);
  }

  monotonicMs(): number {
    return this.#options.clock.monotonicMs();
  }
}

/** Puts upstream's text around an error. The error stays as the cause. */
export function wrap(error: unknown, failure: Failure | undefined): unknown {
  if (failure === undefined || !(error instanceof Error)) return error;
  const text = failure.endsWith("%q") ? goQuote(error.message) : error.message;
  return new Error(failure.slice(0, -2) + text, { cause: error });
}
