import type { Resource } from "../base/resource.ts";
import type {
  MutatingAdmissionPolicy,
  MutatingAdmissionPolicyBinding,
} from "./v1alpha1-definitions.ts";

export type * from "./v1alpha1-definitions.ts";

export const mutatingAdmissionPolicies: Resource<MutatingAdmissionPolicy> = {
  group: "admissionregistration.k8s.io",
  version: "v1alpha1",
  kind: "MutatingAdmissionPolicy",
  name: "mutatingadmissionpolicies",
  singular: "mutatingadmissionpolicy",
  namespaced: false,
  shortNames: [],
  categories: ["api-extensions"],
  verbs: ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"],
  subresources: [],
};

export const mutatingAdmissionPolicyBindings: Resource<MutatingAdmissionPolicyBinding> = {
  group: "admissionregistration.k8s.io",
  version: "v1alpha1",
  kind: "MutatingAdmissionPolicyBinding",
  name: "mutatingadmissionpolicybindings",
  singular: "mutatingadmissionpolicybinding",
  namespaced: false,
  shortNames: [],
  categories: ["api-extensions"],
  verbs: ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"],
  subresources: [],
};
