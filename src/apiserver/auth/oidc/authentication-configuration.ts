import { parseYaml } from "#/std/text/yaml.ts";

/**
 * The file of --authentication-config.
 *
 * Upstream: staging/src/k8s.io/apiserver/pkg/apis/apiserver/v1/types.go,
 * staging/src/k8s.io/apiserver/pkg/apis/apiserver/validation/validation.go.
 */
export interface AuthenticationConfiguration {
  readonly jwt: readonly JwtAuthenticator[];
  readonly anonymous?: {
    readonly enabled: boolean;
    readonly conditions?: readonly { readonly path: string }[];
  };
}

export interface JwtAuthenticator {
  readonly issuer: {
    readonly url: string;
    readonly discoveryURL?: string;
    /** PEM; absent for the machine's own authorities. */
    readonly certificateAuthority?: string;
    readonly audiences: readonly string[];
    readonly audienceMatchPolicy?: string;
  };
  readonly claimValidationRules?: readonly ClaimValidationRule[];
  readonly claimMappings: ClaimMappings;
  readonly userValidationRules?: readonly UserValidationRule[];
}

interface ClaimValidationRule {
  readonly claim?: string;
  readonly requiredValue?: string;
  readonly expression?: string;
  readonly message?: string;
}

interface UserValidationRule {
  readonly expression: string;
  readonly message?: string;
}

/** The source of a part of a user: a claim, or an expression over all claims. */
export interface ClaimSource {
  readonly claim?: string;
  readonly prefix?: string;
  readonly expression?: string;
}

interface ClaimMappings {
  readonly username: ClaimSource;
  readonly groups?: ClaimSource;
  readonly uid?: ClaimSource;
  readonly extra?: readonly { readonly key: string; readonly valueExpression: string }[];
}

const group = "apiserver.config.k8s.io/";
const versions = ["v1", "v1beta1", "v1alpha1"];
/** Limit of issuers (count), as in upstream. */
const maxIssuers = 64;

/** Reads the file; throws if it is not a valid configuration. */
export function readAuthenticationConfiguration(
  text: string,
  ownIssuers: readonly string[],
): AuthenticationConfiguration {
  const found = parseYaml(text) as Record<string, unknown> | null;
  const apiVersion = String(found?.["apiVersion"] ?? "");
  const known = apiVersion.startsWith(group) && versions.includes(apiVersion.slice(group.length));
  if (!known || found?.["kind"] !== "AuthenticationConfiguration") {
    throw new Error(`expected AuthenticationConfiguration, got ${apiVersion} ${found?.["kind"]}`);
  }
  const { jwt = [], anonymous } = found as Partial<AuthenticationConfiguration>;
  if (jwt.length > maxIssuers)
    throw new Error(`jwt: Too many: ${jwt.length}: must have at most ${maxIssuers} items`);
  const urls = new Set<string>();
  for (const [index, one] of jwt.entries()) {
    checkAuthenticator(one, `jwt[${index}]`, ownIssuers, urls);
  }
  return { jwt, ...(anonymous ? { anonymous } : {}) };
}

function checkAuthenticator(
  { issuer, claimMappings, claimValidationRules = [] }: JwtAuthenticator,
  path: string,
  ownIssuers: readonly string[],
  urls: Set<string>,
): void {
  const fail = (field: string, problem: string): never => {
    throw new Error(`${path}.${field}: ${problem}`);
  };
  const url = issuer?.url ?? "";
  if (url === "") fail("issuer.url", "Required value: URL is required");
  if (!url.startsWith("https://"))
    fail("issuer.url", `Invalid value: "${url}": URL scheme must be https`);
  if (urls.has(url)) fail("issuer.url", `Duplicate value: "${url}"`);
  if (ownIssuers.includes(url)) {
    fail(
      "issuer.url",
      `Invalid value: "${url}": URL must not overlap with disallowed issuers: [${ownIssuers.join(" ")}]`,
    );
  }
  urls.add(url);
  const { audiences = [], audienceMatchPolicy = "" } = issuer;
  if (audiences.length === 0)
    fail("issuer.audiences", "Required value: at least one jwt[].issuer.audiences is required");
  if (audiences.length > 1 && audienceMatchPolicy !== "MatchAny") {
    fail(
      "issuer.audienceMatchPolicy",
      `Invalid value: "${audienceMatchPolicy}": audienceMatchPolicy must be MatchAny for multiple audiences`,
    );
  }
  const { username } = claimMappings ?? {};
  if (!username?.claim && !username?.expression) {
    fail("claimMappings.username", "Required value: claim or expression is required");
  }
  if (username?.claim && username.expression) {
    fail("claimMappings.username", 'Invalid value: "": claim and expression can\'t both be set');
  }
  if (username?.claim && username.prefix === undefined) {
    fail(
      "claimMappings.username.prefix",
      "Required value: prefix is required when claim is set. It can be set to an empty string to disable prefixing",
    );
  }
  claimValidationRules.forEach(({ claim, expression }, index) => {
    if (!claim === !expression) {
      fail(`claimValidationRules[${index}]`, "Required value: claim or expression is required");
    }
  });
}
