import { globalFlags } from "#/component/component-command.ts";
import type { FlagSet, FlagValues } from "#/std/flags/flags.ts";
import { logFlags } from "#/std/log/log-flags.ts";
import { admissionFlags } from "./admission.ts";
import { apiEnablementFlags } from "./api-enablement.ts";
import { auditingFlags } from "./auditing.ts";
import { authenticationFlags } from "./authentication.ts";
import { authorizationFlags } from "./authorization.ts";
import { consoleFlags } from "./console.ts";
import { controlPlaneFlags } from "./control-plane.ts";
import { egressSelectorFlags } from "./egress-selector.ts";
import { etcdFlags } from "./etcd.ts";
import { featuresFlags } from "./features.ts";
import { genericFlags } from "./generic.ts";
import { journeyFlags } from "./journey.ts";
import { metricsFlags } from "./metrics.ts";
import { secureServingFlags } from "./secure-serving.ts";
import { tracesFlags } from "./traces.ts";

/** Flags that upstream does not have: the embedded store. */
const storeFlags = {
  "data-dir": {
    type: "string",
    default: "/var/lib/k8ts",
    help: "The directory of the embedded store, used unless --etcd-servers is given.",
  },
} satisfies FlagSet;

/** Every flag of kube-apiserver, as upstream v1.37 has them, and our own. */
export const apiServerFlags = {
  ...storeFlags,
  ...journeyFlags,
  ...consoleFlags,
  ...genericFlags,
  ...etcdFlags,
  ...secureServingFlags,
  ...auditingFlags,
  ...featuresFlags,
  ...authenticationFlags,
  ...authorizationFlags,
  ...apiEnablementFlags,
  ...egressSelectorFlags,
  ...admissionFlags,
  ...metricsFlags,
  ...tracesFlags,
  ...controlPlaneFlags,
  ...logFlags,
  ...globalFlags,
} satisfies FlagSet;

/** The same, as --help shows them. */
export const flagSectionList: readonly { readonly title: string; readonly flags: FlagSet }[] = [
  { title: "embedded store", flags: storeFlags },
  { title: "journey", flags: journeyFlags },
  { title: "web console", flags: consoleFlags },
  { title: "generic", flags: genericFlags },
  { title: "etcd", flags: etcdFlags },
  { title: "secure serving", flags: secureServingFlags },
  { title: "auditing", flags: auditingFlags },
  { title: "features", flags: featuresFlags },
  { title: "authentication", flags: authenticationFlags },
  { title: "authorization", flags: authorizationFlags },
  { title: "API enablement", flags: apiEnablementFlags },
  { title: "egress selector", flags: egressSelectorFlags },
  { title: "admission", flags: admissionFlags },
  { title: "metrics", flags: metricsFlags },
  { title: "traces", flags: tracesFlags },
  { title: "misc", flags: controlPlaneFlags },
  { title: "logs", flags: logFlags },
  { title: "global", flags: globalFlags },
];

export type ApiServerFlags = FlagValues<typeof apiServerFlags>;
