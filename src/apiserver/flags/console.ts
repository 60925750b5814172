import type { ProviderLogin } from "#/console/files/console-files.ts";
import type { FlagSet, FlagValues } from "#/std/flags/flags.ts";

/** Flags that upstream does not have: the web console. */
export const consoleFlags = {
  console: {
    type: "bool",
    default: true,
    help: "Serve the files of the web console below /console/, to anyone; its data need the user's rights.",
  },
  "console-oidc-client-id": {
    type: "string",
    help: "The client, a public one without a secret, as which users of the web console log in at an OpenID provider (authorization code with PKCE). Empty: they enter a token.",
  },
  "console-oidc-issuer-url": {
    type: "string",
    help: "The https address of that provider, which must accept requests of the console's origin (CORS). Default: --oidc-issuer-url.",
  },
  "console-oidc-scopes": {
    type: "stringSlice",
    default: ["openid", "profile", "email"],
    help: "The scopes that the web console asks the provider for; with offline_access, logins last longer than a token.",
  },
} satisfies FlagSet;

type Values = FlagValues<typeof consoleFlags> & { readonly "oidc-issuer-url": string };

/** How users of the console log in at a provider; undefined if they don't. */
export function consoleLogin(flags: Values): ProviderLogin | undefined {
  const issuer = flags["console-oidc-issuer-url"] || flags["oidc-issuer-url"];
  const clientId = flags["console-oidc-client-id"];
  if (clientId === "" || !URL.canParse(issuer)) return undefined;
  return { issuer, clientId, scopes: flags["console-oidc-scopes"] };
}
