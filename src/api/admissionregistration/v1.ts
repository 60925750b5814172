import type { Resource } from "../base/resource.ts";
import type {
  MutatingAdmissionPolicy,
  MutatingAdmissionPolicyBinding,
  MutatingWebhookConfiguration,
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicyBinding,
  ValidatingWebhookConfiguration,
} from "./v1-definitions.ts";

export type * from "./v1-definitions.ts";

export const mutatingAdmissionPolicies: Resource<MutatingAdmissionPolicy> = {
  group: "admissionregistration.k8s.io",
  version: "v1",
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
  version: "v1",
  kind: "MutatingAdmissionPolicyBinding",
  name: "mutatingadmissionpolicybindings",
  singular: "mutatingadmissionpolicybinding",
  namespaced: false,
  shortNames: [],
  categories: ["api-extensions"],
  verbs: ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"],
  subresources: [],
};

export const mutatingWebhookConfigurations: Resource<MutatingWebhookConfiguration> = {
  group: "admissionregistration.k8s.io",
  version: "v1",
  kind: "MutatingWebhookConfiguration",
  name: "mutatingwebhookconfigurations",
  singular: "mutatingwebhookconfiguration",
  namespaced: false,
  shortNames: [],
  categories: ["api-extensions"],
  verbs: ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"],
  subresources: [],
};

export const validatingAdmissionPolicies: Resource<ValidatingAdmissionPolicy> = {
  group: "admissionregistration.k8s.io",
  version: "v1",
  kind: "ValidatingAdmissionPolicy",
  name: "validatingadmissionpolicies",
  singular: "validatingadmissionpolicy",
  namespaced: false,
  shortNames: [],
  categories: ["api-extensions"],
  verbs: ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"],
  subresources: [
    {
      name: "status",
      group: "admissionregistration.k8s.io",
      version: "v1",
      kind: "ValidatingAdmissionPolicy",
      verbs: ["get", "patch", "update"],
    },
  ],
};

export const validatingAdmissionPolicyBindings: Resource<ValidatingAdmissionPolicyBinding> = {
  group: "admissionregistration.k8s.io",
  version: "v1",
  kind: "ValidatingAdmissionPolicyBinding",
  name: "validatingadmissionpolicybindings",
  singular: "validatingadmissionpolicybinding",
  namespaced: false,
  shortNames: [],
  categories: ["api-extensions"],
  verbs: ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"],
  subresources: [],
};

export const validatingWebhookConfigurations: Resource<ValidatingWebhookConfiguration> = {
  group: "admissionregistration.k8s.io",
  version: "v1",
  kind: "ValidatingWebhookConfiguration",
  name: "validatingwebhookconfigurations",
  singular: "validatingwebhookconfiguration",
  namespaced: false,
  shortNames: [],
  categories: ["api-extensions"],
  verbs: ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"],
  subresources: [],
};
