import type { Suite } from "../golden-case.ts";

const v1 = "client.authentication.k8s.io/v1";
const v1beta1 = "client.authentication.k8s.io/v1beta1";

const answer = (status: string, version = v1): string =>
  `echo '{"apiVersion":"${version}","kind":"ExecCredential","status":${status}}'`.replaceAll(
    '"',
    '\\"',
  );

/** A user with an exec credential plugin: a shell script. */
const user = (name: string, script: string, flags = "", version = v1): string =>
  `kubectl config set-credentials ${name} --exec-command=sh --exec-arg=-c --exec-arg="${script}" --exec-api-version=${version} --exec-interactive-mode=Never ${flags}`;

const whoami = (name: string): string => `kubectl auth whoami -o name --user=${name}`;

const policy = (text: string): string =>
  `apiVersion: kubectl.config.k8s.io/v1beta1\nkind: Preference\n${text}\n`;

const token = (exp: number): string =>
  `h.${Buffer.from(JSON.stringify({ exp })).toString("base64url")}.s`;

const oidc = (name: string, args: string): string =>
  `kubectl config set-credentials ${name} --auth-provider=oidc ${args}`;

const issuer =
  "--auth-provider-arg=idp-issuer-url=http://127.0.0.1:1 --auth-provider-arg=client-id=me";

export const suite: Suite = {
  name: "credentials",
  files: {
    "deny.yaml": policy("credentialPluginPolicy: DenyAll"),
    "allow.yaml": policy("credentialPluginPolicy: AllowAll"),
    "sh.yaml": policy(
      "credentialPluginPolicy: Allowlist\ncredentialPluginAllowlist: [{command: sh}]",
    ),
    "bin.yaml": policy(
      "credentialPluginPolicy: Allowlist\ncredentialPluginAllowlist: [{command: $PROGRAMS/sh}]",
    ),
    "other.yaml": policy(
      "credentialPluginPolicy: Allowlist\ncredentialPluginAllowlist: [{command: other}]",
    ),
  },
  cases: [
    user("plug", answer('{"token":"alicetoken"}')),
    "kubectl auth whoami --user=plug",
    "kubectl get ns shop --user=plug",
    user("env", `test $WHO = alice && ${answer('{"token":"alicetoken"}')}`, "--exec-env=WHO=alice"),
    "kubectl auth whoami --user=env",
    user("old", answer('{"token":"alicetoken"}', v1beta1), "", v1beta1),
    whoami("old"),
    user("mixed", answer('{"token":"alicetoken"}', v1beta1)),
    whoami("mixed"),
    user("refused", answer('{"token":"nobody"}')),
    whoami("refused"),
    user(
      "status",
      'echo \'{\\"apiVersion\\":\\"client.authentication.k8s.io/v1\\",\\"kind\\":\\"ExecCredential\\"}\'',
    ),
    whoami("status"),
    user("nothing", answer("{}")),
    whoami("nothing"),
    user("half", answer('{"clientKeyData":"x"}')),
    whoami("half"),
    user("fails", "exit 3"),
    whoami("fails"),
    "kubectl config set-credentials gone --exec-command=no-such-plugin --exec-api-version=client.authentication.k8s.io/v1 --exec-interactive-mode=Never --exec-install-hint='install it'",
    whoami("gone"),
    user("always", answer('{"token":"alicetoken"}'), "--exec-interactive-mode=Always"),
    whoami("always"),
    user("ifavailable", answer('{"token":"alicetoken"}'), "--exec-interactive-mode=IfAvailable"),
    "kubectl auth whoami --user=ifavailable",
    "kubectl config set-credentials nomode --exec-command=sh --exec-api-version=client.authentication.k8s.io/v1",
    "kubectl get ns shop --user=nomode",
    "kubectl config set-credentials noversion --exec-command=sh",
    whoami("noversion"),
    "kubectl config set-credentials badversion --exec-command=sh --exec-api-version=v9 --exec-interactive-mode=Never",
    whoami("badversion"),
    user("expired", answer('{"token":"alicetoken","expirationTimestamp":"2020-01-01T00:00:00Z"}')),
    "kubectl auth whoami --user=expired",
    "kubectl auth whoami --user=gone --token=admintoken",
    "kubectl auth whoami --user=plug --kuberc=deny.yaml",
    "kubectl auth whoami --user=plug --kuberc=allow.yaml",
    "kubectl auth whoami --user=plug --kuberc=sh.yaml",
    "kubectl auth whoami --user=plug --kuberc=other.yaml",
    "kubectl auth whoami --user=gone --kuberc=other.yaml",
    oidc("oidc", `${issuer} --auth-provider-arg=id-token=${token(4_000_000_000)}`),
    whoami("oidc"),
    oidc("stale", `${issuer} --auth-provider-arg=id-token=${token(1)}`),
    whoami("stale"),
    oidc("nojwt", `${issuer} --auth-provider-arg=id-token=x`),
    whoami("nojwt"),
    oidc("empty", issuer),
    whoami("empty"),
    oidc("noissuer", "--auth-provider-arg=client-id=me"),
    whoami("noissuer"),
    oidc("noclient", "--auth-provider-arg=idp-issuer-url=http://127.0.0.1:1"),
    whoami("noclient"),
    "kubectl config set-credentials gcp --auth-provider=gcp",
    whoami("gcp"),
    "kubectl config set-credentials azure --auth-provider=azure",
    whoami("azure"),
    "kubectl config set-credentials other --auth-provider=other",
    whoami("other"),
  ],
};
