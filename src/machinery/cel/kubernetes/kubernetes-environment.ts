import { lazyModule } from "#/std/base/lazily.ts";
import { memoByKey } from "#/std/memory/memo.ts";
import { Environment } from "../environment.ts";
import { combineProviders, type TypeProvider } from "../model/type-provider.ts";
import type { CelType } from "../type/cel-type.ts";

/** The kind of expressions for which an environment is used. */
interface KubernetesOptions {
  /**
   * Minor version of Kubernetes 1 that must support new expressions, so that a downgrade to it is
   * possible. The default is for stored expressions, which may use everything.
   */
  readonly compatibility?: number;
  readonly variables?: Readonly<Record<string, CelType>>;
  readonly types?: TypeProvider;
  /** Adds JSONPatch and Object types, for mutating policies. */
  readonly patches?: boolean;
}

/** Loaded lazily: half of all CEL code, and most servers never compile an expression. */
const libraries = lazyModule<typeof import("./kubernetes-libraries.ts")>(
  "./kubernetes-libraries.ts",
  import.meta.url,
);

/** CEL with the libraries of Kubernetes, and with additional variables and types. */
export function kubernetesEnvironment(options: KubernetesOptions = {}): Environment {
  const { compatibility = Number.POSITIVE_INFINITY, variables = {}, types } = options;
  const patches = options.patches ? libraries().patches : undefined;
  const providers = [patches?.types, types].filter((provider) => provider !== undefined);
  return baseEnvironment(compatibility).extend({
    variables,
    libraries: patches ? [patches.library] : [],
    ...(providers.length > 0 && { provider: combineProviders(providers) }),
  });
}

/** Limit of versions for which an environment is cached (count): a server emulates one. */
const keptVersions = 16;

const baseEnvironment = memoByKey((compatibility: number) => {
  const enabled = libraries().kubernetesLibraries.filter(({ since }) => since <= compatibility);
  return new Environment(undefined, { libraries: enabled.map(({ library }) => library) });
}, keptVersions);
