import type { PolicyRule } from "#/api/rbac/v1.ts";
import { parseFieldSelector } from "#/machinery/meta/fields.ts";
import { goQuote } from "#/std/go/go-quote.ts";
import type { Attributes, Authorizer, Decision, KnownRules } from "../../model/authorizer.ts";
import type { UserInfo } from "../../model/exchange.ts";
import { ruleMatches } from "../rbac/rule-matches.ts";
import { nodeIdentity } from "./node-identity.ts";
import type { NodeRelations } from "./node-relations.ts";

const allow: Decision = { decision: "allow", reason: "" };
const silent: Decision = { decision: "no-opinion", reason: "" };
const because = (reason: string): Decision => ({ decision: "no-opinion", reason });

const ownVerbs = ["get", "create", "update", "patch", "delete"];
const readVerbs = ["get", "list", "watch"];

/**
 * Allows kubelets only what their own node needs: to read the objects its pods refer to, and to write its own objects.
 *
 * Upstream: plugin/pkg/auth/authorizer/node/node_authorizer.go.
 */
export class NodeAuthorizer implements Authorizer {
  readonly name: string;
  readonly #relations: NodeRelations;
  /** The rules of every node, for resources without checks of single objects. */
  readonly #rules: readonly PolicyRule[];

  constructor(relations: NodeRelations, rules: readonly PolicyRule[], name = "node") {
    this.#relations = relations;
    this.#rules = rules;
    this.name = name;
  }

  authorize(attributes: Attributes): Decision {
    const node = nodeIdentity(attributes.user);
    if (node === undefined) return silent;
    if (node === "") return because(`unknown node for user ${goQuote(attributes.user.name)}`);
    const special = attributes.isResourceRequest ? this.#special(node, attributes) : undefined;
    if (special) return special;
    return this.#rules.some((rule) => ruleMatches(rule, attributes)) ? allow : silent;
  }

  rulesFor(user: UserInfo): KnownRules {
    if (nodeIdentity(user) === undefined) return { rules: [], incomplete: false, errors: [] };
    const error = "node authorizer does not support user rule resolution";
    return { rules: [], incomplete: true, errors: [error] };
  }

  /** The decision for a resource with checks of single objects; undefined for others. */
  #special(node: string, attributes: Attributes): Decision | undefined {
    const { apiGroup, resource } = attributes;
    switch (apiGroup === "" ? resource : `${resource}.${apiGroup}`) {
      case "secrets":
      case "configmaps":
        return this.#read(node, attributes);
      case "persistentvolumeclaims":
        return attributes.subresource === "status"
          ? this.#writeStatus(node, attributes)
          : this.#get(node, attributes);
      case "persistentvolumes":
      case "resourceclaims.resource.k8s.io":
      case "volumeattachments.storage.k8s.io":
        return this.#get(node, attributes);
      case "serviceaccounts":
        return this.#serviceAccount(node, attributes);
      case "leases.coordination.k8s.io":
        return lease(node, attributes);
      case "csinodes.storage.k8s.io":
        return csiNode(node, attributes);
      case "resourceslices.resource.k8s.io":
        return this.#slice(node, attributes);
      case "nodes":
        return ownNode(node, attributes);
      case "pods":
        return this.#pod(node, attributes);
      case "podcertificaterequests.certificates.k8s.io":
        return this.#certificateRequest(node, attributes);
      default:
        return undefined;
    }
  }

  /** Only for an object related to the node. */
  #related(node: string, { resource, namespace, name }: Attributes): Decision {
    if (name === "") return because("No Object name found");
    return this.#relations.isRelated(node, resource, namespace, name)
      ? allow
      : because(`no relationship found between node '${node}' and this object`);
  }

  #read(node: string, attributes: Attributes): Decision {
    if (!readVerbs.includes(attributes.verb))
      return because("can only read resources of this type");
    if (attributes.subresource !== "") return because("cannot read subresource");
    if (attributes.namespace === "") {
      return because("can only read namespaced object of this type");
    }
    return this.#related(node, attributes);
  }

  #get(node: string, attributes: Attributes): Decision {
    if (attributes.verb !== "get") {
      return because("can only get individual resources of this type");
    }
    if (attributes.subresource !== "") return because("cannot get subresource");
    return this.#related(node, attributes);
  }

  #writeStatus(node: string, attributes: Attributes): Decision {
    const writes = attributes.verb === "update" || attributes.verb === "patch";
    return writes
      ? this.#related(node, attributes)
      : because("can only get/update/patch this type");
  }

  #serviceAccount(node: string, attributes: Attributes): Decision {
    const { verb, subresource, name } = attributes;
    if (verb === "get" && subresource === "") return this.#read(node, attributes);
    if (verb !== "create" || name === "") {
      return because("can only create tokens for individual service accounts");
    }
    if (subresource !== "token") {
      return because("can only create token subresource of serviceaccount");
    }
    return this.#related(node, attributes);
  }

  #slice(node: string, attributes: Attributes): Decision {
    if (attributes.subresource !== "") {
      return because("cannot authorize ResourceSlice subresources");
    }
    switch (attributes.verb) {
      case "create": // Admission checks the object.
        return allow;
      case "get":
      case "update":
      case "patch":
      case "delete":
        return this.#related(node, attributes);
      case "watch":
      case "list":
      case "deletecollection":
        return selects(attributes, node)
          ? allow
          : because(
              "can only list/watch/deletecollection resourceslices with nodeName field selector",
            );
      default:
        return because(
          "only the following verbs are allowed for a ResourceSlice: get, watch, list, create, update, patch, delete, deletecollection",
        );
    }
  }

  #certificateRequest(node: string, attributes: Attributes): Decision {
    if (attributes.subresource !== "") {
      return because("nodes may not access the status subresource of PodCertificateRequests");
    }
    switch (attributes.verb) {
      case "create": // Admission checks the object.
        return allow;
      case "get":
        return this.#related(node, attributes);
      case "list":
      case "watch":
        return selects(attributes, node)
          ? allow
          : because("can only list/watch podcertificaterequests with nodeName field selector");
      default:
        return because(`nodes may not ${attributes.verb} podcertificaterequests`);
    }
  }

  /** Writes are checked by admission, which sees whether the pod is the node's. */
  #pod(node: string, attributes: Attributes): Decision {
    const { verb, subresource, name } = attributes;
    if (subresource === "status") return verb === "update" || verb === "patch" ? allow : silent;
    if (subresource === "eviction") return verb === "create" ? allow : silent;
    if (subresource !== "") return silent;
    if (verb === "get") return this.#get(node, attributes);
    if (verb === "create" || verb === "delete") return allow;
    if (verb !== "list" && verb !== "watch") return silent;
    if (selects(attributes, node)) return allow;
    return name === ""
      ? because("can only list/watch pods with spec.nodeName field selector")
      : this.#related(node, attributes);
  }
}

/** Whether a field selector limits a list to objects of the node. */
function selects({ fieldSelector }: Attributes, node: string): boolean {
  if (fieldSelector === "") return false;
  try {
    return parseFieldSelector(fieldSelector).requiresExactMatch("spec.nodeName") === node;
  } catch {
    return false; // An invalid selector limits nothing.
  }
}

function lease(node: string, { verb, namespace, name }: Attributes): Decision {
  if (!ownVerbs.includes(verb)) {
    return because("can only get, create, update, patch, or delete a node lease");
  }
  if (namespace !== "kube-node-lease") {
    return because('can only access leases in the "kube-node-lease" system namespace');
  }
  if (verb !== "create" && name !== node) {
    return because("can only access node lease with the same name as the requesting node");
  }
  return allow;
}

function csiNode(node: string, { verb, subresource, name }: Attributes): Decision {
  if (subresource === "status") {
    return because("CSINode status access requires CSIVolumeHealth feature");
  }
  if (subresource !== "") return because("cannot authorize CSINode subresources");
  if (!ownVerbs.includes(verb)) {
    return because("can only get, create, update, patch, or delete a CSINode");
  }
  if (verb !== "create" && name !== node) {
    return because("can only access CSINode with the same name as the requesting node");
  }
  return allow;
}

/** Writes are checked by admission, which sees whether the node is the kubelet's own. */
function ownNode(node: string, { verb, subresource, name }: Attributes): Decision {
  if (subresource === "status") return verb === "update" || verb === "patch" ? allow : silent;
  if (subresource !== "") return silent;
  if (verb === "create" || verb === "update" || verb === "patch") return allow;
  if (!readVerbs.includes(verb)) return silent;
  if (name === node) return allow;
  return name === ""
    ? because(`node '${node}' cannot read all nodes, only its own Node object`)
    : because(`node '${node}' cannot read '${name}', only its own Node object`);
}
