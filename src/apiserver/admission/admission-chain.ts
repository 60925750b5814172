import type { MaybePromise } from "#/std/base/maybe-promise.ts";
import type { Trail } from "../model/trail.ts";
import type { Admission, Attributes } from "../registry/admission.ts";
import type { Step, Timer } from "./base/admission-metrics.ts";
import type { Hooks, PluginServices, Round, Scope } from "./base/admission-plugin.ts";
import { PluginNotes } from "./base/plugin-notes.ts";

/** An enabled plugin, open. */
export interface OpenPlugin {
  readonly name: string;
  readonly scope: Scope;
  readonly hooks: Hooks<never>;
}

type Hook = (attributes: Attributes, services: PluginServices, round: Round) => MaybePromise<void>;

/** A plugin's hook, and its timer. */
interface Asked {
  readonly name: string;
  readonly hook: Hook;
  readonly timer: Timer;
}

/** The plugins of one kind of request in one step, in order. */
interface Plan {
  readonly plugins: readonly Asked[];
  readonly timer: Timer;
}

/** A request, as the plugins of one step are asked about it. */
interface Asking {
  readonly attributes: Attributes;
  readonly round: Round;
  readonly notes: PluginNotes | undefined;
}

/** Limit of cached plans (count): clients that invent subresources must not fill the memory. */
const plansKept = 4096;

/**
 * All plugins as one filter. Each request passes only the plugins of its resource, determined once per kind of request;
 * nothing is awaited unless a plugin does I/O. Upstream:
 * staging/src/k8s.io/apiserver/pkg/admission/{chain,reinvocation}.go.
 */
export class AdmissionChain implements Admission {
  readonly #plugins: readonly OpenPlugin[];
  readonly #services: PluginServices;
  readonly #plans = new Map<string, Readonly<Record<Step, Plan>>>();

  constructor(plugins: readonly OpenPlugin[], services: PluginServices) {
    this.#plugins = plugins;
    this.#services = services;
  }

  mutate(attributes: Attributes): MaybePromise<void> {
    const plan = this.#plan(attributes).admit;
    const { trail } = attributes;
    if (trail) this.#begun(trail, attributes);
    const notes = trail && new PluginNotes(trail, attributes, "admit");
    const round: Round = { isReinvocation: false, reinvoke: false, memory: new Map() };
    return this.#timed(plan.timer, () => {
      const first = this.#askFrom(0, plan.plugins, { attributes, round, notes });
      const again = () => {
        if (!round.reinvoke) return this.#mutated(trail);
        const reinvocation = { ...round, isReinvocation: true };
        const second = this.#askFrom(0, plan.plugins, { attributes, round: reinvocation, notes });
        return second ? second.then(() => this.#mutated(trail)) : this.#mutated(trail);
      };
      return first ? first.then(again) : again();
    });
  }

  validate(attributes: Attributes): MaybePromise<void> {
    const { plugins, timer } = this.#plan(attributes).validate;
    const { trail } = attributes;
    if (trail) trail.checkedMicros = trail.at(this.#services.clock.monotonicMs());
    const notes = trail && new PluginNotes(trail, attributes, "validate");
    return this.#timed(timer, () => {
      const pending = this.#askFrom(0, plugins, { attributes, round: onlyRound, notes });
      return pending ? pending.then(() => this.#validated(trail)) : this.#validated(trail);
    });
  }

  /** The object is decoded, and known by its name. */
  #begun(trail: Trail, { object, name }: Attributes): void {
    trail.decodedMicros = trail.at(this.#services.clock.monotonicMs());
    trail.name = name || (object?.metadata.generateName ?? "");
  }

  #mutated(trail: Trail | undefined): void {
    if (trail) trail.mutatedMicros = trail.at(this.#services.clock.monotonicMs());
  }

  #validated(trail: Trail | undefined): void {
    if (trail) trail.validatedMicros = trail.at(this.#services.clock.monotonicMs());
  }

  #askFrom(start: number, plugins: readonly Asked[], asking: Asking): MaybePromise<void> {
    const { clock } = this.#services;
    const { attributes, round, notes } = asking;
    let startMs = clock.monotonicMs();
    for (let index = start; index < plugins.length; index++) {
      const { name, hook, timer } = plugins[index] as Asked;
      let pending: ReturnType<Hook>;
      try {
        pending = hook(attributes, this.#services, round);
      } catch (error) {
        timer(true, clock.monotonicMs() - startMs);
        notes?.failed(name, clock.monotonicMs() - startMs);
        throw error;
      }
      if (pending) {
        const noted: Timer = (rejected, elapsedMs) => {
          timer(rejected, elapsedMs);
          if (rejected) notes?.failed(name, elapsedMs);
          else notes?.note(name, elapsedMs);
        };
        return this.#settled(pending, noted, startMs).then(() =>
          this.#askFrom(index + 1, plugins, asking),
        );
      }
      // The end of one is the start of the next: the clock is read once for both.
      const endMs = clock.monotonicMs();
      timer(false, endMs - startMs);
      notes?.note(name, endMs - startMs);
      startMs = endMs;
    }
  }

  /** Runs a whole step, and records its duration and whether it refused. */
  #timed(timer: Timer, run: () => MaybePromise<void>): MaybePromise<void> {
    const { clock } = this.#services;
    const startMs = clock.monotonicMs();
    let pending: MaybePromise<void>;
    try {
      pending = run();
    } catch (error) {
      timer(true, clock.monotonicMs() - startMs);
      throw error;
    }
    if (pending) return this.#settled(pending, timer, startMs);
    timer(false, clock.monotonicMs() - startMs);
  }

  async #settled(pending: Promise<void>, timer: Timer, startMs: number): Promise<void> {
    const { clock } = this.#services;
    let refused = true;
    try {
      await pending;
      refused = false;
    } finally {
      timer(refused, clock.monotonicMs() - startMs);
    }
  }

  #plan({ operation, resource, subresource }: Attributes): Readonly<Record<Step, Plan>> {
    const key = `${operation} ${resource.group}/${resource.name}/${subresource}`;
    const known = this.#plans.get(key);
    if (known) return known;
    const concerned = this.#plugins.filter(({ scope }) =>
      concerns(scope, { operation, resource, subresource }),
    );
    const { metrics } = this.#services;
    const planOf = (step: Step): Plan => ({
      plugins: concerned.flatMap(({ name, hooks }) => {
        const hook = step === "admit" ? hooks.mutate : hooks.validate;
        if (!hook) return [];
        const timer = metrics.pluginTimer(name, step, operation);
        return [{ name, hook: hook.bind(hooks) as unknown as Hook, timer }];
      }),
      timer: metrics.stepTimer(step, operation),
    });
    const plans = { admit: planOf("admit"), validate: planOf("validate") };
    if (this.#plans.size >= plansKept) this.#plans.clear();
    this.#plans.set(key, plans);
    return plans;
  }
}

/** Validation has no second pass, and no state for it. */
const onlyRound: Round = { isReinvocation: false, reinvoke: false, memory: new Map() };

type Request = Pick<Attributes, "operation" | "resource" | "subresource">;

function concerns(scope: Scope, { operation, resource, subresource }: Request): boolean {
  if (!scope.operations.includes(operation)) return false;
  if (scope.subresources && !scope.subresources.includes(subresource)) return false;
  if (!scope.on) return true;
  return scope.on.some(({ group, name }) => group === resource.group && name === resource.name);
}
