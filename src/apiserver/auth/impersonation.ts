import { nameIsDNSSubdomain } from "#/machinery/meta/names.ts";
import { badRequest, isStatusError, type StatusError } from "#/machinery/meta/status-error.ts";
import { goQuote } from "#/std/go/go-quote.ts";
import { type Attributes, type Authorizer, noAttributes } from "../model/authorizer.ts";
import { type Exchange, header, headerValues, type UserInfo } from "../model/exchange.ts";
import { denied } from "./authorize.ts";
import { headersWithPrefix } from "./request-header.ts";
import { parseServiceAccountUserName, serviceAccountGroups } from "./service-account/user-name.ts";

/**
 * Impersonation. Permission can be constrained to verbs and kinds of users ("impersonate:user-info" with
 * "impersonate-on:user-info:list"); the older, unconstrained verb "impersonate" counts as well.
 *
 * Upstream: staging/src/k8s.io/apiserver/pkg/endpoints/filters/impersonation.
 */

const extraPrefix = "impersonate-extra-";
const authenticationGroup = "authentication.k8s.io";
const nodePrefix = "system:node:";

/** The identity in the Impersonate-* headers; undefined if there are none. Throws if they name no user. */
export function wantedUser(exchange: Exchange): UserInfo | undefined {
  const name = header(exchange, "impersonate-user") ?? "";
  const uid = header(exchange, "impersonate-uid") ?? "";
  const groups = headerValues(exchange, "impersonate-group");
  const extra = headersWithPrefix(exchange, [extraPrefix]);
  const hasExtra = Object.keys(extra).length > 0;
  if (name !== "") {
    return { name, groups, ...(uid === "" ? {} : { uid }), ...(hasExtra ? { extra } : {}) };
  }
  if (uid === "" && groups.length === 0 && !hasExtra) return undefined;
  throw badRequest(`requested ${describe(uid, groups, extra)} without impersonating a user name`);
}

/** The user as Go's %#v shows it. */
function describe(
  uid: string,
  groups: readonly string[],
  extra: Readonly<Record<string, readonly string[]>>,
): string {
  const list = (values: readonly string[]): string =>
    values.length === 0 ? "[]string(nil)" : `[]string{${values.map(goQuote).join(", ")}}`;
  const entries = Object.entries(extra).sort(([a], [b]) => (a < b ? -1 : 1));
  const pairs = entries.map(([key, values]) => `${goQuote(key)}:${list(values)}`).join(", ");
  const map = entries.length === 0 ? "map[string][]string(nil)" : `map[string][]string{${pairs}}`;
  return `&user.DefaultInfo{Name:"", UID:${goQuote(uid)}, Groups:${list(groups)}, Extra:${map}}`;
}

/** The impersonated identity, and the verb that allowed it; "" for the unconstrained one. */
interface Impersonation {
  readonly user: UserInfo;
  readonly constraint: string;
}

interface Mode {
  readonly name: string;
  applies(wanted: UserInfo, requestor: UserInfo): boolean;
}

const onlyName = ({ uid, groups, extra }: UserInfo): boolean =>
  !uid && groups.length === 0 && extra === undefined;

/** The node of a kubelet's user; undefined for other users. */
function nodeOf({ name }: UserInfo): string | undefined {
  if (!name.startsWith(nodePrefix)) return undefined;
  const node = name.slice(nodePrefix.length);
  return nameIsDNSSubdomain(node, false).length === 0 ? node : undefined;
}

const modes: readonly Mode[] = [
  {
    name: "associated-node",
    applies(wanted, requestor) {
      if (!onlyName(wanted) || !parseServiceAccountUserName(requestor.name)) return false;
      const own = requestor.extra?.["authentication.kubernetes.io/node-name"];
      return own?.length === 1 && own[0] !== "" && nodeOf(wanted) === own[0];
    },
  },
  { name: "arbitrary-node", applies: (wanted) => onlyName(wanted) && nodeOf(wanted) !== undefined },
  {
    name: "serviceaccount",
    applies: (wanted) => onlyName(wanted) && parseServiceAccountUserName(wanted.name) !== undefined,
  },
  {
    name: "user-info",
    applies: (wanted) =>
      nodeOf(wanted) === undefined && parseServiceAccountUserName(wanted.name) === undefined,
  },
];

/** Finds a mode in which the user may impersonate; throws the first refusal if there is none. */
export async function impersonate(
  wanted: UserInfo,
  attributes: Attributes,
  authorizer: Authorizer,
): Promise<Impersonation> {
  let refusal: StatusError | undefined;
  for (const mode of modes) {
    if (!mode.applies(wanted, attributes.user)) continue;
    try {
      const verb = `impersonate-on:${mode.name}:${attributes.verb}`;
      const checker = new Checker(authorizer, attributes.user, `impersonate:${mode.name}`, true);
      await checker.check({ ...attributes, verb });
      return { user: await checker.become(wanted), constraint: `impersonate:${mode.name}` };
    } catch (error) {
      if (!isStatusError(error)) throw error;
      refusal ??= error;
    }
  }
  try {
    const checker = new Checker(authorizer, attributes.user, "impersonate", false);
    return { user: await checker.become(wanted), constraint: "" };
  } catch (error) {
    throw refusal ?? error;
  }
}

/** Checks for every part of an identity whether the user may take it. */
class Checker {
  readonly #authorizer: Authorizer;
  readonly #user: UserInfo;
  readonly #verb: string;
  readonly #constrained: boolean;

  constructor(authorizer: Authorizer, user: UserInfo, verb: string, constrained: boolean) {
    this.#authorizer = authorizer;
    this.#constrained = constrained;
    this.#verb = verb;
    // For its own node, the check is about the service account, whatever pod it runs in.
    this.#user = verb === "impersonate:associated-node" ? withoutPod(user) : user;
  }

  async check(attributes: Attributes): Promise<void> {
    const asked = { ...attributes, user: this.#user };
    const { decision, reason, error } = await this.#authorizer.authorize(asked);
    const parts = [error?.message ?? "", reason].filter((part) => part !== "");
    if (decision !== "allow") throw denied(asked, parts.join(": "));
  }

  async become(wanted: UserInfo): Promise<UserInfo> {
    const groups = await this.#checkName(wanted);
    if (wanted.uid) await this.#ask("uids", { name: wanted.uid, apiGroup: authenticationGroup });
    await this.#checkGroups(wanted.groups);
    await this.#checkExtra(wanted.extra ?? {});
    return { ...wanted, groups: withStandardGroup(wanted.name, groups) };
  }

  async #checkName(wanted: UserInfo): Promise<readonly string[]> {
    const apiGroup = this.#constrained ? authenticationGroup : "";
    const node = this.#constrained ? nodeOf(wanted) : undefined;
    if (node !== undefined) {
      const name = this.#verb === "impersonate:associated-node" ? "*" : node;
      await this.#ask("nodes", { apiGroup, name });
      return ["system:nodes"];
    }
    const account = parseServiceAccountUserName(wanted.name);
    if (!account) {
      await this.#ask("users", { apiGroup, name: wanted.name });
      return wanted.groups;
    }
    await this.#ask("serviceaccounts", { apiGroup, ...account });
    return wanted.groups.length > 0 ? wanted.groups : serviceAccountGroups(account.namespace);
  }

  async #checkGroups(groups: readonly string[]): Promise<void> {
    const apiGroup = this.#constrained ? authenticationGroup : "";
    if (this.#constrained && groups.includes("")) {
      this.#refuse("groups", "", "impersonating the empty string group is not allowed");
    }
    if (this.#constrained && groups.includes("system:masters")) {
      const reason = "impersonating the system:masters group is not allowed";
      this.#refuse("groups", "system:masters", reason);
    }
    for (const name of groups) await this.#ask("groups", { apiGroup, name });
  }

  async #checkExtra(extra: Readonly<Record<string, readonly string[]>>): Promise<void> {
    for (const [subresource, values] of Object.entries(extra)) {
      if (this.#constrained) this.#checkExtraForm(subresource, values);
      for (const name of values) {
        await this.#ask("userextras", { apiGroup: authenticationGroup, subresource, name });
      }
    }
  }

  #checkExtraForm(key: string, values: readonly string[]): void {
    if (key === "") {
      const reason = "impersonating the empty string key in extra is not allowed";
      this.#refuse("userextras", "", reason);
    }
    if (values.includes("")) {
      const reason = "impersonating the empty string value in extra is not allowed";
      this.#refuse("userextras", "", reason);
    }
  }

  #ask(resource: string, wanted: Partial<Attributes>): Promise<void> {
    return this.check(this.#attributes(resource, wanted));
  }

  #refuse(resource: string, name: string, reason: string): never {
    const apiGroup = authenticationGroup;
    throw denied(this.#attributes(resource, { name, apiGroup }), reason);
  }

  #attributes(resource: string, wanted: Partial<Attributes>): Attributes {
    const verb = this.#verb;
    return { ...noAttributes, apiVersion: "v1", ...wanted, user: this.#user, verb, resource };
  }
}

function withoutPod(user: UserInfo): UserInfo {
  const keys = Object.keys(user.extra ?? {}).sort();
  return { ...user, extra: { "authentication.kubernetes.io/associated-node-keys": keys } };
}

/** Adds system:authenticated, or system:unauthenticated for the anonymous user. */
function withStandardGroup(name: string, groups: readonly string[]): readonly string[] {
  const unauthenticated = "system:unauthenticated";
  if (name === "system:anonymous") {
    return groups.includes(unauthenticated) ? groups : [...groups, unauthenticated];
  }
  const settled = groups.includes(unauthenticated) || groups.includes("system:authenticated");
  return settled ? groups : [...groups, "system:authenticated"];
}
