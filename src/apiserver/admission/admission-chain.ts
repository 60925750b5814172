import type { Admission, Attributes } from "./admission.ts";
import type { Hooks, PluginServices, Round, Scope } from "./admission-plugin.ts";

/** A plugin that is on, ready to be asked. */
export interface OpenPlugin {
  readonly scope: Scope;
  readonly hooks: Hooks<never>;
}

type Mutate = (
  attributes: Attributes,
  services: PluginServices,
  round: Round,
) => Promise<void> | undefined | void;
type Validate = (
  attributes: Attributes,
  services: PluginServices,
) => Promise<void> | undefined | void;

/** The plugins that have a say about one kind of request, in order. */
interface Plan {
  readonly mutate: readonly Mutate[];
  readonly validate: readonly Validate[];
}

/** Plans kept; a client that makes up subresources must not fill the memory. */
const plansKept = 4096;

/**
 * All plugins as one gate. Each request meets only those that its resource concerns, found once per kind of request;
 * nothing is awaited unless a plugin does I/O. Upstream: apiserver/pkg/admission/{chain,reinvocation}.go.
 */
export class AdmissionChain implements Admission {
  readonly #plugins: readonly OpenPlugin[];
  readonly #services: PluginServices;
  readonly #plans = new Map<string, Plan>();

  constructor(plugins: readonly OpenPlugin[], services: PluginServices) {
    this.#plugins = plugins;
    this.#services = services;
  }

  mutate(attributes: Attributes): Promise<void> | void {
    nameNamespace(attributes);
    const { mutate } = this.#plan(attributes);
    if (mutate.length === 0) return;
    const round: Round = { isReinvocation: false, reinvoke: false, memory: new Map() };
    return then(this.#mutateFrom(0, mutate, attributes, round), () => {
      if (!round.reinvoke) return;
      return this.#mutateFrom(0, mutate, attributes, { ...round, isReinvocation: true });
    });
  }

  validate(attributes: Attributes): Promise<void> | void {
    nameNamespace(attributes);
    return this.#validateFrom(0, this.#plan(attributes).validate, attributes);
  }

  #mutateFrom(
    start: number,
    plugins: readonly Mutate[],
    attributes: Attributes,
    round: Round,
  ): Promise<void> | void {
    for (let index = start; index < plugins.length; index++) {
      const pending = plugins[index]?.(attributes, this.#services, round);
      if (pending)
        return pending.then(() => this.#mutateFrom(index + 1, plugins, attributes, round));
    }
  }

  #validateFrom(
    start: number,
    plugins: readonly Validate[],
    attributes: Attributes,
  ): Promise<void> | void {
    for (let index = start; index < plugins.length; index++) {
      const pending = plugins[index]?.(attributes, this.#services);
      if (pending) return pending.then(() => this.#validateFrom(index + 1, plugins, attributes));
    }
  }

  #plan({ operation, resource, subresource }: Attributes): Plan {
    const key = `${operation} ${resource.group}/${resource.name}/${subresource}`;
    const known = this.#plans.get(key);
    if (known) return known;
    const concerned = this.#plugins.filter(({ scope }) =>
      concerns(scope, { operation, resource, subresource }),
    );
    const plan: Plan = {
      mutate: concerned.flatMap(({ hooks }) =>
        hooks.mutate ? [hooks.mutate.bind(hooks) as unknown as Mutate] : [],
      ),
      validate: concerned.flatMap(({ hooks }) =>
        hooks.validate ? [hooks.validate.bind(hooks) as unknown as Validate] : [],
      ),
    };
    if (this.#plans.size >= plansKept) this.#plans.clear();
    this.#plans.set(key, plan);
    return plan;
  }
}

type Request = Pick<Attributes, "operation" | "resource" | "subresource">;

function concerns(scope: Scope, { operation, resource, subresource }: Request): boolean {
  if (!scope.operations.includes(operation)) return false;
  if (scope.subresources && !scope.subresources.includes(subresource)) return false;
  if (!scope.on) return true;
  return scope.on.some(({ group, name }) => group === resource.group && name === resource.name);
}

/** A namespace counts as being in itself, from its creation on. */
function nameNamespace(attributes: Attributes): void {
  const { resource, operation, name } = attributes;
  if (operation !== "CREATE" || resource.name !== "namespaces" || resource.group !== "") return;
  (attributes as { namespace: string }).namespace = name;
}

function then(
  pending: Promise<void> | void,
  next: () => Promise<void> | void,
): Promise<void> | void {
  return pending ? pending.then(next) : next();
}
