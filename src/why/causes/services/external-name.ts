import { type Service, services } from "#/api/core/v1.ts";
import { cause } from "../../base/cause.ts";
import { serviceProblem } from "../../facts/services/service-problem.ts";

const address = /^\d{1,3}(?:\.\d{1,3}){3}$|:/;
/** A Service of the cluster, with its namespace. */
const ownName = /^([^.]+)\.([^.]+)\.svc(?:\.|$)/;

/** An alias that leads nowhere. Whether names outside of the cluster exist is not looked up. */
export const externalName = cause<Service>({
  name: "external-name",
  layer: "service",
  isFeltAbove: true,
  of: [services],
  find({ spec, metadata }, view) {
    const { type, externalName: target = "" } = spec ?? {};
    if (type !== "ExternalName") return undefined;
    if (address.test(target))
      return {
        sentence: `its externalName "${target}" is an address: DNS has aliases of names only, so the Service cannot be resolved`,
        fix: ["# make it a Service without a selector, and an EndpointSlice with the address"],
      };
    const [, name = "", namespace = ""] = ownName.exec(target) ?? [];
    if (name === "" || (name === metadata.name && namespace === metadata.namespace))
      return undefined;
    const problem = serviceProblem({ name, namespace }, view);
    return problem === undefined
      ? undefined
      : {
          sentence: `it is an alias of ${target}, and the Service "${name}" in ${namespace} ${problem}`,
          fix: [`kubectl -n ${namespace} why service/${name}`],
        };
  },
});
