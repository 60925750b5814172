import { ingressClasses, ingresses } from "#/api/networking/v1.ts";
import { newestDefault } from "#/machinery/volumes/newest-default.ts";
import { admissionPlugin } from "../base/admission-plugin.ts";
import { listObjects } from "../base/find-object.ts";

const classAnnotation = "kubernetes.io/ingress.class";
const defaultAnnotations = ["ingressclass.kubernetes.io/is-default-class"];

/** An ingress without a class gets the default. Upstream: plugin/pkg/admission/network/defaultingressclass/admission.go. */
export const defaultIngressClass = admissionPlugin({
  name: "DefaultIngressClass",
  on: ingresses,
  operations: ["CREATE"],
  mutate({ object: ingress }, { registry }) {
    if (ingress.spec?.ingressClassName !== undefined) return;
    if (ingress.metadata.annotations?.[classAnnotation] !== undefined) return;
    const chosen = newestDefault(listObjects(registry, ingressClasses), defaultAnnotations);
    if (chosen) ingress.spec = { ...ingress.spec, ingressClassName: chosen.metadata.name ?? "" };
  },
});
