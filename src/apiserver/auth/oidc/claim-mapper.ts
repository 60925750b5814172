import { kubernetesEnvironment } from "#/machinery/cel/kubernetes/kubernetes-environment.ts";
import type { TypeProvider } from "#/machinery/cel/model/type-provider.ts";
import type { Program } from "#/machinery/cel/program.ts";
import { anyType, listOf, mapOf, objectType, stringType } from "#/machinery/cel/type/cel-type.ts";
import { CelFault } from "#/machinery/cel/value/cel-fault.ts";
import { CelList } from "#/machinery/cel/value/cel-list.ts";
import type { CelValue } from "#/machinery/cel/value/cel-value.ts";
import { lazily } from "#/std/base/lazily.ts";
import type { UserInfo } from "../../model/exchange.ts";
import { toApiUser } from "../../model/user-info.ts";
import type { ClaimSource, JwtAuthenticator } from "./authentication-configuration.ts";

/**
 * Maps a token's claims to a user, and applies validation rules to claims and users.
 *
 * Upstream: staging/src/k8s.io/apiserver/plugin/pkg/authenticator/token/oidc/oidc.go,
 * staging/src/k8s.io/apiserver/pkg/authentication/cel.
 */

export type Claims = Readonly<Record<string, unknown>>;

const userFields = new Map([
  ["username", stringType],
  ["uid", stringType],
  ["groups", listOf(stringType)],
  ["extra", mapOf(stringType, listOf(stringType))],
]);
const userTypeName = "kubernetes.UserInfo";
const userType = objectType(userTypeName);
const userTypes: TypeProvider = {
  findType: (name) => (name === userTypeName ? userType : undefined),
  findField: (name, field) => (name === userTypeName ? userFields.get(field) : undefined),
};
const overClaims = lazily(() =>
  kubernetesEnvironment({ variables: { claims: mapOf(stringType, anyType) } }),
);
const overUser = lazily(() =>
  kubernetesEnvironment({ variables: { user: userType }, types: userTypes }),
);

interface Rule {
  readonly program: Program;
  readonly expression: string;
  readonly message: string;
}

/** Compiled once per issuer. */
export class ClaimMapper {
  readonly #config: JwtAuthenticator;
  readonly #username: Program | undefined;
  readonly #groups: Program | undefined;
  readonly #uid: Program | undefined;
  readonly #extra: readonly { readonly key: string; readonly program: Program }[];
  readonly #claimRules: readonly Rule[];
  readonly #userRules: readonly Rule[];

  /** Throws CompileError if an expression is wrong. */
  constructor(config: JwtAuthenticator) {
    const { claimMappings, claimValidationRules = [], userValidationRules = [] } = config;
    const compile = (source: ClaimSource | undefined): Program | undefined =>
      source?.expression ? overClaims().compile(source.expression) : undefined;
    this.#config = config;
    this.#username = compile(claimMappings.username);
    this.#groups = compile(claimMappings.groups);
    this.#uid = compile(claimMappings.uid);
    this.#extra = (claimMappings.extra ?? []).map(({ key, valueExpression }) => ({
      key,
      program: overClaims().compile(valueExpression),
    }));
    this.#claimRules = claimValidationRules.flatMap(({ expression, message = "" }) =>
      expression ? [{ program: overClaims().compile(expression), expression, message }] : [],
    );
    this.#userRules = userValidationRules.map(({ expression, message = "" }) => ({
      program: overUser().compile(expression),
      expression,
      message,
    }));
  }

  /** The user of these claims; throws if they don't identify one. */
  user(claims: Claims): UserInfo {
    const name = this.#name(claims);
    const groups = this.#groupsOf(claims);
    const uid = this.#uidOf(claims);
    const extra = this.#extraOf(claims);
    const user: UserInfo = {
      name,
      ...(uid === "" ? {} : { uid }),
      groups,
      ...(Object.keys(extra).length > 0 ? { extra } : {}),
    };
    this.#checkRequired(claims);
    checkRules(this.#claimRules, { claims }, "error evaluating claim validation expression");
    const shown = { user: { username: "", uid: "", groups: [], extra: {}, ...toApiUser(user) } };
    checkRules(this.#userRules, shown, "error evaluating user info validation rule");
    return user;
  }

  #name(claims: Claims): string {
    if (this.#username) {
      const value = evaluate(this.#username, { claims }, "username claim");
      if (typeof value !== "string") {
        throw new Error(
          "oidc: error evaluating username claim expression: username claim expression must return a string",
        );
      }
      if (value === "") throw new Error("oidc: empty username via CEL expression is not allowed");
      return value;
    }
    const { claim = "", prefix = "" } = this.#config.claimMappings.username;
    const value = claims[claim];
    if (typeof value !== "string") {
      const problem = value === undefined ? "claim not present" : "claim is not a string";
      throw new Error(`oidc: parse username claims "${claim}": ${problem}`);
    }
    if (claim === "email" && claims["email_verified"] !== undefined) {
      if (typeof claims["email_verified"] !== "boolean") {
        throw new Error("oidc: parse 'email_verified' claim: claim is not a boolean");
      }
      if (!claims["email_verified"]) throw new Error("oidc: email not verified");
    }
    return prefix + value;
  }

  #groupsOf(claims: Claims): string[] {
    const { claim = "", prefix = "" } = this.#config.claimMappings.groups ?? {};
    if (claim !== "" && claims[claim] !== undefined) {
      const value = claims[claim];
      const list = Array.isArray(value) ? value : [value];
      if (list.some((one) => typeof one !== "string")) {
        throw new Error(`oidc: parse groups claim "${claim}": claim is not a list of strings`);
      }
      return list.map((one) => prefix + one);
    }
    return this.#groups
      ? stringsOf(evaluate(this.#groups, { claims }, "group claim"), "group")
      : [];
  }

  #uidOf(claims: Claims): string {
    const { claim = "" } = this.#config.claimMappings.uid ?? {};
    const value = this.#uid ? evaluate(this.#uid, { claims }, "uid claim") : claims[claim];
    if (claim === "" && !this.#uid) return "";
    if (typeof value === "string") return value;
    throw new Error(`oidc: parse uid claim "${claim}": claim is not a string`);
  }

  #extraOf(claims: Claims): Record<string, string[]> {
    const { jti } = claims;
    const extra: Record<string, string[]> =
      typeof jti === "string" && jti !== ""
        ? { "authentication.kubernetes.io/credential-id": [`JTI=${jti}`] }
        : {};
    for (const { key, program } of this.#extra) {
      const values = stringsOf(evaluate(program, { claims }, "extra claim"), "extra");
      if (values.length > 0) extra[key] = values;
    }
    return extra;
  }

  #checkRequired(claims: Claims): void {
    for (const { claim, requiredValue = "" } of this.#config.claimValidationRules ?? []) {
      if (!claim) continue;
      const value = claims[claim];
      if (value === undefined)
        throw new Error(`oidc: required claim ${claim} not present in ID token`);
      if (value !== requiredValue) {
        throw new Error(
          `oidc: required claim ${claim} value does not match. Got = ${value}, want = ${requiredValue}`,
        );
      }
    }
  }
}

function checkRules(rules: readonly Rule[], bindings: Claims, what: string): void {
  for (const { program, expression, message } of rules) {
    const { value } = program.evaluate(bindings);
    if (value === true) continue;
    const reason =
      value instanceof CelFault ? value.message : `validation expression '${expression}' failed`;
    throw new Error(`oidc: ${what}: ${message ? `${reason}: ${message}` : reason}`);
  }
}

function evaluate(program: Program, bindings: Claims, what: string): CelValue {
  const { value } = program.evaluate(bindings);
  if (!(value instanceof CelFault)) return value;
  throw new Error(`oidc: error evaluating ${what} expression: ${value.message}`);
}

/** A string or a list of strings, without empty ones; null is an empty list. */
function stringsOf(value: CelValue, what: string): string[] {
  const items = value instanceof CelList ? [...value] : value === null ? [] : [value];
  if (items.some((item) => typeof item !== "string")) {
    throw new Error(
      `oidc: error evaluating ${what} claim expression: expression must return a string or a list of strings`,
    );
  }
  return (items as string[]).filter((item) => item !== "");
}
