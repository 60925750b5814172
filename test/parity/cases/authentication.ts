import { generateKeyPairSync } from "node:crypto";
import type { Area, Case, Step, Surroundings } from "../case.ts";
import { certify, openIssuer, SurroundingsBuilder } from "../surroundings.ts";
import { sequence } from "./sequence.ts";

/** The user of a request, by each kind of credential, valid and invalid. */

const self = "/apis/authentication.k8s.io/v1/selfsubjectreviews";
const reviews = "/apis/authentication.k8s.io/v1/tokenreviews";
const accounts = "/api/v1/namespaces/{ns}/serviceaccounts";
const pods = "/api/v1/namespaces/{ns}/pods";

type As = NonNullable<Step["as"]>;
const whoAmI = (as: As, headers: Readonly<Record<string, string>> = {}): Step => ({
  method: "POST",
  path: self,
  body: {},
  as,
  headers,
});
const post = (path: string, body: unknown): Step => ({ method: "POST", path, body });
const get = (path: string, as: As): Step => ({ method: "GET", path, as });
/** The real server caches the user of a token for ten seconds. */
const forgotten = (step: Step): Step => ({ ...step, waitSeconds: 11 });
const later = (step: Step): Step => ({ ...step, waitSeconds: 1 });

type TokenAnswer = { readonly status: { readonly token: string } };
const tokenOf = (answers: TokenAnswer[], index: number): string =>
  answers[index]?.status.token ?? "";
const second = (answers: TokenAnswer[]): string => tokenOf(answers, 1);
const third = (answers: TokenAnswer[]): string => tokenOf(answers, 2);

const bootstrapSecret = (id: string, data: object): Step =>
  post("/api/v1/namespaces/kube-system/secrets", {
    metadata: { name: `bootstrap-token-${id}` },
    type: "bootstrap.kubernetes.io/token",
    stringData: {
      "token-id": id,
      "token-secret": "0123456789abcdef",
      "usage-bootstrap-authentication": "true",
      ...data,
    },
  });

const cases: Case[] = [
  sequence(
    "x509: names and groups",
    whoAmI("client"),
    get("/api/v1/namespaces/{ns}/secrets", "client"),
  ),
  sequence("x509: another authority's", whoAmI("stranger")),
  sequence("x509: expired", whoAmI("expired")),
  sequence("x509: a server's certificate", whoAmI("serving")),
  sequence("x509: no name", whoAmI("nameless")),
  sequence("token file: known", whoAmI("bob")),
  sequence("token file: unknown", whoAmI("wrong"), whoAmI("basic"), whoAmI("empty")),
  sequence(
    "anonymous: some paths only",
    get("/livez", "nobody"),
    get("/readyz", "nobody"),
    get("/api/v1/namespaces/{ns}/pods", "nobody"),
    whoAmI("nobody"),
  ),
  sequence("front proxy: says who somebody is", whoAmI("proxy"), whoAmI("proxied")),
  sequence("front proxy: not one that may", whoAmI("other proxy")),
  sequence("front proxy: headers alone", whoAmI("forger")),
  sequence(
    "service account: token of its own",
    post(accounts, { metadata: { name: "sa" } }),
    post(`${accounts}/sa/token`, { spec: { expirationSeconds: 3600 } }),
    whoAmI(second),
    get(pods, second),
    post(reviews, (answers: TokenAnswer[]) => ({ spec: { token: tokenOf(answers, 1) } })),
    { method: "DELETE", path: `${accounts}/sa` },
    forgotten(whoAmI(second)),
  ),
  sequence(
    "service account: token for others",
    post(accounts, { metadata: { name: "sa" } }),
    post(`${accounts}/sa/token`, { spec: { audiences: ["vault"] } }),
    whoAmI(second),
    post(reviews, (answers: TokenAnswer[]) => ({
      spec: { token: tokenOf(answers, 1), audiences: ["vault", "other"] },
    })),
    post(reviews, (answers: TokenAnswer[]) => ({ spec: { token: tokenOf(answers, 1) } })),
  ),
  sequence(
    "service account: token of a pod",
    post(accounts, { metadata: { name: "sa" } }),
    post(pods, {
      metadata: { name: "p" },
      spec: { serviceAccountName: "sa", containers: [{ name: "c", image: "i" }] },
    }),
    post(`${accounts}/sa/token`, {
      spec: { boundObjectRef: { apiVersion: "v1", kind: "Pod", name: "p" } },
    }),
    whoAmI(third),
    { method: "DELETE", path: `${pods}/p?gracePeriodSeconds=0` },
    forgotten(whoAmI(third)),
  ),
  sequence(
    "bootstrap token: of a secret",
    bootstrapSecret("abcdef", { "auth-extra-groups": "system:bootstrappers:a" }),
    later(whoAmI("joining")),
  ),
  sequence(
    "bootstrap token: not to be believed",
    bootstrapSecret("expird", { expiration: "2001-01-01T00:00:00Z" }),
    bootstrapSecret("unused", { "usage-bootstrap-authentication": "false" }),
    later(whoAmI("joining late")),
    whoAmI("joining elsewhere"),
    whoAmI("joining wrongly"),
  ),
  sequence("OIDC: names and groups", whoAmI("jane")),
  sequence(
    "OIDC: not to be believed",
    whoAmI("jane elsewhere"),
    whoAmI("jane late"),
    whoAmI("jane forged"),
    whoAmI("jane without the claim"),
  ),
  sequence("webhook: knows a token", whoAmI("guest")),
  sequence("webhook: doesn't", whoAmI("intruder")),
  sequence("impersonation: by who may not", {
    ...whoAmI("bob"),
    headers: { "impersonate-user": "alice" },
  }),
];

const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } });

async function surround(): Promise<Surroundings> {
  const builder = await SurroundingsBuilder.open();
  const front = await builder.newAuthority("front");
  const stranger = await builder.newAuthority("stranger");
  const issuer = await openIssuer(builder);
  const webhook = await builder.webhook({
    TokenReview: ({ token }: { token: string }) =>
      token === "guest"
        ? { authenticated: true, user: { username: "guest", uid: "7", groups: ["guests"] } }
        : { authenticated: false },
  });
  const subject = { commonName: "carol", organizations: ["dev", "ops"] };
  const client = { subject, usage: "client auth" } as const;
  const remote = { "x-remote-user": "dave", "x-remote-group": "admins", "x-remote-extra-a": "b" };
  const proxy = certify(front, { ...client, subject: { commonName: "proxy" } });
  const jane = { groups: ["a", "b"], hd: "example.com" };
  const { privateKey: otherKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  return builder.surround(
    [
      `--client-ca-file=${builder.authority.file}`,
      `--requestheader-client-ca-file=${front.file}`,
      "--requestheader-allowed-names=proxy",
      "--requestheader-username-headers=X-Remote-User",
      "--requestheader-group-headers=X-Remote-Group",
      "--requestheader-extra-headers-prefix=X-Remote-Extra-",
      "--enable-bootstrap-token-auth",
      `--oidc-issuer-url=${issuer.url}`,
      `--oidc-ca-file=${builder.authority.file}`,
      "--oidc-client-id=kube",
      "--oidc-username-claim=sub",
      "--oidc-username-prefix=oidc:",
      "--oidc-groups-claim=groups",
      "--oidc-required-claim=hd=example.com",
      `--authentication-token-webhook-config-file=${webhook}`,
      "--authentication-token-webhook-version=v1",
    ],
    {
      client: certify(builder.authority, client),
      stranger: certify(stranger, client),
      expired: certify(builder.authority, { ...client, expired: true }),
      serving: certify(builder.authority, { ...client, usage: "server auth" }),
      nameless: certify(builder.authority, {
        ...client,
        subject: { commonName: "", organizations: ["dev"] },
      }),
      bob: bearer("bobtoken"),
      wrong: bearer("wrong"),
      basic: { headers: { authorization: "Basic Ym9iOmJvYg==" } },
      empty: { headers: { authorization: "Bearer" } },
      nobody: {},
      proxy: { ...proxy, headers: remote },
      proxied: { ...proxy, headers: { "x-remote-user": "erin" } },
      "other proxy": {
        ...certify(front, { ...client, subject: { commonName: "other" } }),
        headers: remote,
      },
      forger: { headers: remote },
      joining: bearer("abcdef.0123456789abcdef"),
      "joining late": bearer("expird.0123456789abcdef"),
      "joining elsewhere": bearer("unused.0123456789abcdef"),
      "joining wrongly": bearer("abcdef.fedcba9876543210"),
      jane: bearer(await issuer.sign(jane)),
      "jane elsewhere": bearer(await issuer.sign({ ...jane, aud: "other" })),
      "jane late": bearer(await issuer.sign({ ...jane, exp: issuer.expired })),
      "jane forged": bearer(await issuer.sign(jane, otherKey)),
      "jane without the claim": bearer(await issuer.sign({ ...jane, hd: "example.org" })),
      guest: bearer("guest"),
      intruder: bearer("intruder"),
    },
  );
}

/** Every authenticator of kube-apiserver. */
export const authenticationArea: Area = {
  name: "authentication",
  surround,
  // The issuer's keys are fetched in the background.
  awaited: [whoAmI("jane")],
  cases,
};
