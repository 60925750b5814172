import { type Ingress, ingressClasses, ingresses } from "#/api/networking/v1.ts";
import { cause } from "../../base/cause.ts";
import { names } from "../../base/text.ts";

const isDefault = "ingressclass.kubernetes.io/is-default-class";

export const ingressClass = cause<Ingress>({
  name: "ingress-class-missing",
  layer: "service",
  group: "ingress",
  of: [ingresses],
  find({ spec, status, metadata }, view) {
    const name = spec?.ingressClassName ?? metadata.annotations?.["kubernetes.io/ingress.class"];
    const classes = view.list(ingressClasses);
    if (!classes || (status?.loadBalancer?.ingress ?? []).length > 0) return undefined;
    const all = classes.map((one) => one.metadata.name ?? "");
    const evidence = [
      all.length > 0
        ? `IngressClasses: ${names(all)}`
        : "the cluster has no IngressClass: no ingress controller is installed",
    ];
    if (name !== undefined) {
      if (all.includes(name)) return undefined;
      return {
        sentence: `its IngressClass "${name}" does not exist, so no controller serves it`,
        evidence,
        fix: ["kubectl get ingressclasses"],
      };
    }
    if (classes.some((one) => one.metadata.annotations?.[isDefault] === "true")) return undefined;
    return {
      sentence:
        "it has no IngressClass and the cluster has no default one, so no controller serves it",
      evidence,
      fix: [
        "kubectl get ingressclasses",
        "# install an ingress controller, and set spec.ingressClassName",
      ],
    };
  },
});
