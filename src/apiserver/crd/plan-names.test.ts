/** Cases: staging/src/k8s.io/apiextensions-apiserver/pkg/controller/status/naming_controller_test.go. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type {
  CustomResourceDefinition,
  CustomResourceDefinitionNames,
} from "#/api/apiextensions/v1.ts";
import { planNames } from "./plan-names.ts";

/** "plural singular kind listKind short,short"; "-" for none. */
function names(text: string): CustomResourceDefinitionNames {
  const [plural = "", singular = "-", kind = "", listKind = "-", short = "-"] = text.split(" ");
  return {
    plural: plural === "-" ? "" : plural,
    kind: kind === "-" ? "" : kind,
    ...(singular === "-" ? {} : { singular }),
    ...(listKind === "-" ? {} : { listKind }),
    ...(short === "-" ? {} : { shortNames: short.split(",") }),
  };
}

const crd = (wanted: string, present: string | undefined): CustomResourceDefinition => ({
  metadata: { name: "alfa.bravo.com" },
  spec: { group: "bravo.com", names: names(wanted), scope: "Namespaced", versions: [] },
  ...(present === undefined ? {} : { status: { acceptedNames: names(present) } }),
});

const cases: readonly {
  readonly name: string;
  readonly wants: string;
  readonly has?: string;
  readonly taken?: readonly string[];
  readonly gets: string;
  readonly reason?: string;
  readonly message?: string;
}[] = [
  {
    name: "the first CRD gets all names",
    wants: "alfa delta Echo Foxtrot golf,hotel",
    gets: "alfa delta Echo Foxtrot golf,hotel",
  },
  {
    name: "different names of others do not conflict",
    wants: "alfa delta Echo Foxtrot golf",
    taken: ["india juliet Kilo Lima mike"],
    gets: "alfa delta Echo Foxtrot golf",
  },
  {
    name: "a plural that is taken",
    wants: "alfa delta Echo Foxtrot golf",
    taken: ["india alfa Kilo Lima mike"],
    gets: "- delta Echo Foxtrot golf",
    reason: "PluralConflict",
    message: '"alfa" is already in use',
  },
  {
    name: "a singular that is another's short name",
    wants: "alfa delta Echo Foxtrot golf",
    taken: ["india juliet Kilo Lima delta"],
    gets: "alfa - Echo Foxtrot golf",
    reason: "SingularConflict",
    message: '"delta" is already in use',
  },
  {
    name: "short names that are taken",
    wants: "alfa delta Echo Foxtrot golf,hotel",
    taken: ["golf hotel Kilo Lima mike"],
    gets: "alfa delta Echo Foxtrot -",
    reason: "ShortNamesConflict",
    message: '["golf" is already in use, "hotel" is already in use]',
  },
  {
    name: "a kind that is taken",
    wants: "alfa delta Echo Foxtrot golf",
    taken: ["india juliet Echo Lima mike"],
    gets: "alfa delta - Foxtrot golf",
    reason: "KindConflict",
    message: '"Echo" is already in use',
  },
  {
    name: "a list kind that is another's kind",
    wants: "alfa delta Echo Foxtrot golf",
    taken: ["india juliet Foxtrot Lima mike"],
    gets: "alfa delta Echo - golf",
    reason: "ListKindConflict",
    message: '"Foxtrot" is already in use',
  },
  {
    name: "its own names do not conflict",
    wants: "alfa delta Echo Foxtrot golf",
    has: "alfa delta Echo Foxtrot golf",
    taken: ["alfa delta Echo Foxtrot golf"],
    gets: "alfa delta Echo Foxtrot golf",
  },
  {
    name: "it keeps its accepted name if the requested one is taken",
    wants: "zulu delta Echo Foxtrot golf",
    has: "alfa delta Echo Foxtrot golf",
    taken: ["zulu juliet Kilo Lima mike"],
    gets: "alfa delta Echo Foxtrot golf",
    reason: "PluralConflict",
    message: '"zulu" is already in use',
  },
];

for (const { name, wants, has, taken = [], gets, reason, message } of cases) {
  test(`planNames(): ${name}`, () => {
    assert.deepEqual(planNames(crd(wants, has), taken.map(names)), {
      names: names(gets),
      condition: {
        type: "NamesAccepted",
        status: reason ? "False" : "True",
        reason: reason ?? "NoConflicts",
        message: message ?? "no conflicts found",
      },
    });
  });
}
