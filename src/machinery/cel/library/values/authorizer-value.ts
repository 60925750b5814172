import { type CelType, objectType } from "../../type/cel-type.ts";
import { CelObject } from "../../value/cel-object.ts";

export const authorizerType: CelType = objectType("kubernetes.authorization.Authorizer");
export const pathCheckType: CelType = objectType("kubernetes.authorization.PathCheck");
export const groupCheckType: CelType = objectType("kubernetes.authorization.GroupCheck");
export const resourceCheckType: CelType = objectType("kubernetes.authorization.ResourceCheck");
export const decisionType: CelType = objectType("kubernetes.authorization.Decision");

/** The user to check permissions for. */
interface AuthorizedUser {
  readonly username: string;
  readonly uid: string;
  readonly groups: readonly string[];
}

/** A permission on a resource. Absent fields are empty. */
interface ResourcePermission {
  readonly group: string;
  readonly resource: string;
  readonly subresource?: string;
  readonly namespace?: string;
  readonly name?: string;
  /** As written in the expression; it may be malformed. */
  readonly fieldSelector?: string;
  /** As written in the expression; it may be malformed. */
  readonly labelSelector?: string;
}

/** A permission check: for a path of the server, or for a resource in any version. */
export type PermissionCheck = { readonly user: AuthorizedUser; readonly verb: string } & (
  | { readonly path: string }
  | ResourcePermission
);

/** The result of a permission check. */
export interface PermissionDecision {
  readonly allowed: boolean;
  readonly reason: string;
  /** The error; undefined if there was none. */
  readonly error?: string;
}

/** Checks permissions, synchronously. */
type Authorize = (question: PermissionCheck) => PermissionDecision;

/** The permissions of a user: the variable `authorizer`. */
export class AuthorizerValue extends CelObject {
  override readonly type: CelType = authorizerType;
  readonly user: AuthorizedUser;
  readonly authorize: Authorize;

  constructor(user: AuthorizedUser, authorize: Authorize) {
    super();
    this.user = user;
    this.authorize = authorize;
  }

  forServiceAccount(namespace: string, name: string): AuthorizerValue {
    const groups = ["system:serviceaccounts", `system:serviceaccounts:${namespace}`];
    const username = `system:serviceaccount:${namespace}:${name}`;
    return new AuthorizerValue({ username, uid: "", groups }, this.authorize);
  }
}

export class PathCheckValue extends CelObject {
  override readonly type: CelType = pathCheckType;
  readonly #authorizer: AuthorizerValue;
  readonly #path: string;

  constructor(authorizer: AuthorizerValue, path: string) {
    super();
    this.#authorizer = authorizer;
    this.#path = path;
  }

  check(verb: string): DecisionValue {
    const { user, authorize } = this.#authorizer;
    return new DecisionValue(authorize({ user, verb, path: this.#path }));
  }
}

export class GroupCheckValue extends CelObject {
  override readonly type: CelType = groupCheckType;
  readonly authorizer: AuthorizerValue;
  readonly group: string;

  constructor(authorizer: AuthorizerValue, group: string) {
    super();
    this.authorizer = authorizer;
    this.group = group;
  }
}

/** A permission to check: the variable `authorizer.requestResource` is one. */
export class ResourceCheckValue extends CelObject {
  override readonly type: CelType = resourceCheckType;
  readonly authorizer: AuthorizerValue;
  readonly permission: ResourcePermission;

  constructor(authorizer: AuthorizerValue, permission: ResourcePermission) {
    super();
    this.authorizer = authorizer;
    this.permission = permission;
  }

  check(verb: string): DecisionValue {
    const { user, authorize } = this.authorizer;
    return new DecisionValue(authorize({ user, verb, ...this.permission }));
  }
}

export class DecisionValue extends CelObject {
  override readonly type: CelType = decisionType;
  readonly allowed: boolean;
  readonly reason: string;
  readonly error: string | undefined;

  constructor({ allowed, reason, error }: PermissionDecision) {
    super();
    this.allowed = allowed;
    this.reason = reason;
    this.error = error;
  }
}
