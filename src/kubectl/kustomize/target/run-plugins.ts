/** Upstream: sigs.k8s.io/kustomize/api/internal/target/kusttarget.go. */
import { doing, KustomizeError } from "../failure/kustomize-error.ts";
import { type Generator, isGenerator, type Transformer } from "../plugins/plugin.ts";
import { addTransformation, originOf, setOrigin } from "../resource/origin.ts";
import { idText } from "../resource/resource-id.ts";
import { ResourceMap } from "../resource/resource-map.ts";
import type { Accumulator } from "./accumulator.ts";
import { configureBuiltIn, loadGenerators, loadTransformers, type Ready } from "./load-plugins.ts";
import { lowerGenerators, lowerTransformers } from "./lower.ts";
import type { Target } from "./target.ts";

/** Go prints addresses of pointers in one message; this is printed instead. */
const address = "0xc000000000";

export function runGenerators(target: Target, into: Accumulator): void {
  const { kustomization, helpers } = target;
  const builtIn = lowerGenerators(kustomization, target.parentNamespace).flatMap((lowered) => {
    const plugin = configureBuiltIn(lowered, helpers);
    return isGenerator(plugin) ? [{ plugin, origin: target.builtInOrigin(lowered.kind) }] : [];
  });
  const named = doing("loading generator plugins", () =>
    loadGenerators(
      target.pluginConfigs(kustomization.generators ?? [], "configuring external generator"),
      helpers,
    ),
  );
  for (const ready of [...builtIn, ...named]) runGenerator(ready, into);
}

function runGenerator({ plugin, origin }: Ready<Generator>, into: Accumulator): void {
  const made = plugin.generate();
  for (const resource of made) {
    if (origin && !originOf(resource)) setOrigin(resource, origin);
  }
  doing(`merging from generator &{${address} ${origin ? address : "<nil>"}}`, () => {
    for (const resource of made) into.map.absorb(resource);
  });
}

export function runTransformers(target: Target, into: Accumulator): void {
  const { kustomization, helpers } = target;
  const builtIn = lowerTransformers(kustomization, into.config).flatMap((lowered) => {
    const plugin = configureBuiltIn(lowered, helpers);
    return isGenerator(plugin) ? [] : [{ plugin, origin: target.builtInOrigin(lowered.kind) }];
  });
  const named = loadTransformers(
    target.pluginConfigs(kustomization.transformers ?? [], "configuring external transformer"),
    helpers,
  );
  for (const ready of [...builtIn, ...named]) runTransformer(ready, into.map);
}

function runTransformer({ plugin, origin }: Ready<Transformer>, map: ResourceMap): void {
  plugin.transform(map);
  map.dropEmpty();
  if (origin) for (const resource of map.resources) addTransformation(resource, origin);
}

/** Validators are transformers that may change only one label. */
export function runValidators(target: Target, { map }: Accumulator): void {
  const { kustomization, helpers } = target;
  const validators = loadTransformers(
    target.pluginConfigs(kustomization.validators ?? [], "configuring external transformer"),
    helpers,
  );
  for (const { plugin } of validators) {
    const before = map.resources.map((resource) => resource.copy());
    const copied = new ResourceMap();
    copied.resources = [...map.resources];
    plugin.transform(copied);
    for (const [index, old] of before.entries()) {
      const now = map.resources[index];
      if (now) requireSame(old.toString(), withoutMark(now));
      else throw new KustomizeError(`id in self missing from other; id: ${idText(old.id)}`);
    }
  }
}

function withoutMark(resource: ResourceMap["resources"][number]): string {
  const copied = resource.copy();
  const { labels } = copied;
  if (labels["validated-by"] !== undefined) {
    delete labels["validated-by"];
    copied.labels = labels;
  }
  return copied.toString();
}

function requireSame(before: string, after: string): void {
  if (before === after) return;
  throw new KustomizeError(
    `validator shouldn't modify the resource map: nodes unequal: \n -- ${before},\n -- ${after}\n`,
  );
}
