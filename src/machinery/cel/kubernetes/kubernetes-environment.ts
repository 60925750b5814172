import { lazyModule } from "#/std/base/lazily.ts";
import { memoByKey } from "#/std/memory/memo.ts";
import { Environment } from "../environment.ts";
import { combineProviders, type TypeProvider } from "../model/type-provider.ts";
import type { CelType } from "../type/cel-type.ts";

/** Which expressions an environment is for. */
interface KubernetesOptions {
  /**
   * Minor version of Kubernetes 1 that new expressions must be understood by, for the sake of going back to it. Stored
   * expressions, which is the default, may use everything.
   */
  readonly compatibility?: number;
  readonly variables?: Readonly<Record<string, CelType>>;
  readonly types?: TypeProvider;
  /** Adds JSONPatch and Object types, for mutating policies. */
  readonly patches?: boolean;
}

/** Half of all that CEL is, and most servers never see an expression. */
const libraries = lazyModule<typeof import("./kubernetes-libraries.ts")>(
  "./kubernetes-libraries.ts",
  import.meta.url,
);

/** CEL as Kubernetes has it, with variables and types of one's own. */
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

/** Limit of versions whose environment is kept (count): a server emulates one. */
const keptVersions = 16;

const baseEnvironment = memoByKey((compatibility: number) => {
  const enabled = libraries().kubernetesLibraries.filter(({ since }) => since <= compatibility);
  return new Environment(undefined, { libraries: enabled.map(({ library }) => library) });
}, keptVersions);
