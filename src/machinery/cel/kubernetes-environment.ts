import type { CelType } from "./cel-type.ts";
import { Environment, type Library } from "./environment.ts";
import { authorizers } from "./library/authorizers.ts";
import { cidrs } from "./library/cidrs.ts";
import { ips } from "./library/ips.ts";
import { kubernetesIncludes, kubernetesLists } from "./library/kubernetes-lists.ts";
import { lists } from "./library/lists.ts";
import { literalValidators } from "./library/literal-validators.ts";
import { namedFormats } from "./library/named-formats.ts";
import { optionalTypes } from "./library/optional-types.ts";
import { jsonPatches, patchTypes } from "./library/patch-types.ts";
import { quantities } from "./library/quantities.ts";
import { regexes } from "./library/regexes.ts";
import { semvers } from "./library/semvers.ts";
import { sets } from "./library/sets.ts";
import { standardLibrary } from "./library/standard.ts";
import { strings } from "./library/strings.ts";
import { twoVariableComprehensions } from "./library/two-variable-comprehensions.ts";
import { urls } from "./library/urls.ts";
import { combineProviders, type TypeProvider } from "./type-provider.ts";

/** Which expressions an environment is for. */
export interface KubernetesOptions {
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

/**
 * Libraries, with the version that brought those that older versions still in use do not know.
 *
 * Upstream: apiserver/pkg/cel/environment/base.go.
 */
const libraries: readonly { readonly library: Library; readonly since: number }[] = [
  { library: standardLibrary, since: 0 },
  { library: urls, since: 0 },
  { library: regexes, since: 0 },
  { library: kubernetesLists, since: 0 },
  { library: authorizers, since: 27 },
  { library: optionalTypes, since: 28 },
  { library: quantities, since: 28 },
  { library: { validators: literalValidators }, since: 29 },
  { library: strings, since: 29 },
  { library: sets, since: 29 },
  { library: ips, since: 30 },
  { library: cidrs, since: 30 },
  { library: namedFormats, since: 31 },
  { library: twoVariableComprehensions, since: 32 },
  { library: semvers, since: 33 },
  { library: lists, since: 34 },
  { library: kubernetesIncludes, since: 37 },
];

const bases = new Map<number, Environment>();

/** CEL as Kubernetes has it, with variables and types of one's own. */
export function kubernetesEnvironment(options: KubernetesOptions = {}): Environment {
  const {
    compatibility = Number.POSITIVE_INFINITY,
    variables = {},
    types,
    patches = false,
  } = options;
  const providers = [...(patches ? [patchTypes] : []), ...(types ? [types] : [])];
  return baseEnvironment(compatibility).extend({
    variables,
    libraries: patches ? [jsonPatches] : [],
    ...(providers.length > 0 && { provider: combineProviders(providers) }),
  });
}

function baseEnvironment(compatibility: number): Environment {
  const known = bases.get(compatibility);
  if (known !== undefined) return known;
  const enabled = libraries.filter(({ since }) => since <= compatibility);
  const base = new Environment(undefined, { libraries: enabled.map(({ library }) => library) });
  bases.set(compatibility, base);
  return base;
}
