import { h, type JSX } from "preact";
import { chosenLanguage, type Theme, theme } from "../base/preferences.ts";
import {
  access,
  isConnected,
  kubeconfigContext,
  setToken,
  user,
  viewedAs,
} from "../base/session.ts";
import { may } from "../data/permissions.ts";
import { languages } from "../model/choose-language.ts";
import { language, languageNames, t } from "../texts/texts.ts";
import { Icon, type IconName } from "./icon.ts";
import { Menu } from "./menu.ts";
import { NamespacePicker } from "./namespace-picker.ts";
import { isPaletteOpen } from "./palette-state.ts";
import { isMenuOpen } from "./sidebar.ts";
import { isViewAsOpen, ViewAsDialog, ViewedAsNote } from "./view-as.ts";

const themeIcons: Readonly<Record<Theme, IconName>> = {
  system: "system",
  light: "sun",
  dark: "moon",
};

export function Topbar(): JSX.Element {
  const { context } = kubeconfigContext.value ?? {};
  return h(
    "header",
    { class: "topbar" },
    h(
      "button",
      {
        class: "quiet icon-button menu-button",
        "aria-label": t().menu,
        "aria-expanded": isMenuOpen.value,
        onClick: () => {
          isMenuOpen.value = !isMenuOpen.value;
        },
      },
      h(Icon, { name: "menu" }),
    ),
    context ? h("span", { class: "context", title: t().context }, context) : null,
    h(NamespacePicker, {}),
    h(
      "button",
      {
        class: "search-button",
        "aria-label": t().searchHint,
        onClick: () => {
          isPaletteOpen.value = true;
        },
      },
      h(Icon, { name: "search" }),
      h("span", null, t().searchHint),
      h("span", { class: "key-hint", "aria-hidden": "true" }),
    ),
    h("span", { class: "space" }),
    isConnected.value ? null : h("span", { class: "lost", role: "status" }, t().reconnecting),
    h(LanguageMenu, {}),
    h(ThemeMenu, {}),
    h(ViewedAsNote, {}),
    h(UserMenu, {}),
    h(ViewAsDialog, {}),
  );
}

function LanguageMenu(): JSX.Element {
  const items = languages.map((code) => ({
    label: languageNames[code],
    lang: code,
    isChosen: language.value === code,
    run: () => {
      chosenLanguage.value = code;
    },
  }));
  return h(Menu, { label: t().language, items, children: h(Icon, { name: "language" }) });
}

function ThemeMenu(): JSX.Element {
  const names = { system: t().themeSystem, light: t().themeLight, dark: t().themeDark };
  const items = (["system", "light", "dark"] as const).map((name) => ({
    label: names[name],
    isChosen: theme.value === name,
    run: () => {
      theme.value = name;
    },
  }));
  const icon = h(Icon, { name: themeIcons[theme.value] });
  return h(Menu, { label: t().theme, items, children: icon });
}

function UserMenu(): JSX.Element {
  const { name = "" } = user.value ?? {};
  const isToken = access.value === "server";
  const logOut = () => {
    setToken(undefined);
    viewedAs.value = undefined;
    user.value = undefined;
  };
  const mayViewAs = may({ verb: "impersonate", group: "", resource: "users" }, undefined);
  const items = [
    ...(mayViewAs
      ? [
          {
            label: `${t().viewAs}…`,
            run: () => {
              isViewAsOpen.value = true;
            },
          },
        ]
      : []),
    ...(isToken ? [{ label: t().logOut, run: logOut }] : []),
  ];
  const icon = [h(Icon, { name: "user" }), h("span", { class: "user-name" }, name)];
  if (items.length === 0) return h("span", { class: "user", title: t().user }, icon);
  return h(Menu, { label: `${t().user}: ${name}`, items, children: icon });
}
