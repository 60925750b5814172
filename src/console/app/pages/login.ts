import { h, type JSX } from "preact";
import { useState } from "preact/hooks";
import { access, setToken } from "../base/session.ts";
import { t } from "../texts/texts.ts";

/** Asks for a token, which stays in the page's memory; or explains that the session of `k8ts console` is missing. */
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
