import type { Library } from "../environment.ts";
import { authorizers } from "../library/authorizers.ts";
import { cidrs } from "../library/cidrs.ts";
import { ips } from "../library/ips.ts";
import { kubernetesIncludes, kubernetesLists } from "../library/kubernetes-lists.ts";
import { lists } from "../library/lists.ts";
import { literalValidators } from "../library/literal-validators.ts";
import { namedFormats } from "../library/named-formats.ts";
import { optionalTypes } from "../library/optional-types.ts";
import { jsonPatches, patchTypes } from "../library/patch-types.ts";
import { quantities } from "../library/quantities.ts";
import { regexes } from "../library/regexes.ts";
import { semvers } from "../library/semvers.ts";
import { sets } from "../library/sets.ts";
import { standardLibrary } from "../library/standard.ts";
import { strings } from "../library/strings.ts";
import { twoVariableComprehensions } from "../library/two-variable-comprehensions.ts";
import { urls } from "../library/urls.ts";

/**
 * Libraries, with the version that introduced those that some supported versions lack.
 *
 * Upstream: staging/src/k8s.io/apiserver/pkg/cel/environment/base.go.
 */
export const kubernetesLibraries: readonly { readonly library: Library; readonly since: number }[] =
  [
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

/** Additional library and types for mutating policies. */
export const patches = { library: jsonPatches, types: patchTypes };
