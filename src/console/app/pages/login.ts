import { Fragment, h, type JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { loadAgain } from "../base/load-again.ts";
import { access, loginFailure, setToken } from "../base/session.ts";
import type { ProviderLogin } from "../data/oidc.ts";
import { t } from "../texts/texts.ts";

/** Leads to the provider of the cluster's users if there is one; asks for a token, which stays in the page's memory; or explains that the session of `k8ts console` is missing. */
export function LoginPage({ logIn }: { logIn(): Promise<boolean> }): JSX.Element {
  const [token, setText] = useState("");
  const [hasFailed, setFailed] = useState(false);
  if (access.value === "proxy") {
    return h(
      "main",
      { class: "login" },
      h(
        "div",
        { class: "card" },
        h("h1", null, t().noSessionTitle),
        h("p", null, t().noSessionText),
        h("pre", null, "k8ts console"),
      ),
    );
  }
  const submit = async (event: Event) => {
    event.preventDefault();
    setToken(token.trim());
    const isKnown = await logIn().catch(() => false);
    setFailed(!isKnown);
    if (!isKnown) setToken(undefined);
  };
  return h(
    "main",
    { class: "login" },
    h(
      "form",
      { class: "card", onSubmit: submit },
      h("span", { class: "brand-mark", "aria-hidden": "true" }),
      h("h1", null, t().logInTitle),
      h("p", null, t().logInText),
      h(ProviderButton, null),
      h("label", { for: "token" }, t().token),
      h("input", {
        id: "token",
        type: "password",
        autocomplete: "off",
        required: true,
        value: token,
        "aria-describedby": "token-hint",
        onInput: ({ currentTarget }) => setText(currentTarget.value),
      }),
      hasFailed ? h("p", { class: "bad-text", role: "alert" }, t().tokenRefused) : null,
      h("button", { class: "primary", type: "submit" }, t().logIn),
      h("p", { id: "token-hint", class: "dim" }, t().tokenHint),
      h("pre", null, "kubectl create token NAME"),
      h("p", { class: "dim" }, t().consoleHint),
      h("pre", null, "k8ts console"),
    ),
  );
}

/** The login at an OpenID provider, if the server has one for the console. */
function ProviderButton(): JSX.Element | null {
  const [login, setLogin] = useState<ProviderLogin | undefined>(undefined);
  useEffect(() => {
    void providerModule().then(async ({ findProviderLogin }) =>
      setLogin(await findProviderLogin()),
    );
  }, []);
  const failure = loginFailure.value;
  const failed =
    failure === undefined
      ? null
      : h("p", { class: "bad-text", role: "alert" }, t().logInFailed(failure));
  if (!login) return failed;
  const go = () =>
    void providerModule()
      .then(({ goToProvider }) => goToProvider(login))
      .catch(({ message }: Error) => {
        loginFailure.value = message;
      });
  return h(
    Fragment,
    null,
    failed,
    h(
      "button",
      { class: "primary", type: "button", onClick: go },
      t().logInAt(new URL(login.issuer).host),
    ),
    h("p", { class: "dim or" }, t().orToken),
  );
}

/** Few users come to this page: the first one does not load it. */
const providerModule = () => loadAgain(() => import("../data/oidc.ts"));
