import { h, type JSX } from "preact";
import { useState } from "preact/hooks";
import { namespace } from "../base/preferences.ts";
import { resources } from "../data/discovery.ts";
import { may } from "../data/permissions.ts";
import { pluralTitle, resourceKey } from "../model/api-resource.ts";
import { fittingChoices } from "../model/match-words.ts";
import { listRoute } from "../model/route.ts";
import { t } from "../texts/texts.ts";

/** Every kind that the server has and the user may list, by group. */
export function KindsPage(): JSX.Element {
  const [typed, setTyped] = useState("");
  const all = (resources.value ?? [])
    .filter(({ verbs, group, resource }) => {
      return verbs.includes("list") && may({ verb: "list", group, resource }, namespace.value);
    })
    .map((resource) => ({
      resource,
      label: pluralTitle(resource),
      words: `${resourceKey(resource)} ${resource.shortNames.join(" ")}`,
    }));
  const found = new Set(fittingChoices(all, typed, all.length));
  const groups = Map.groupBy(
    all.filter((choice) => found.has(choice)),
    ({ resource }) => resource.group,
  );
  return h(
    "section",
    { class: "page" },
    h(
      "header",
      { class: "page-head" },
      h("h1", null, t().allKinds),
      h("span", { class: "count" }, t().count(found.size)),
      h("span", { class: "space" }),
      h("input", {
        type: "search",
        class: "field-input",
        "aria-label": t().filter,
        placeholder: t().filter,
        value: typed,
        onInput: ({ currentTarget }) => setTyped(currentTarget.value),
      }),
    ),
    h(
      "div",
      { class: "scroll kinds" },
      [...groups].map(([group, choices]) =>
        h(
          "section",
          { key: group, class: "kind-group" },
          h("h2", null, group || t().coreGroup),
          choices.map(({ resource, label }) =>
            h(
              "a",
              { key: resource.resource, href: listRoute(resourceKey(resource)) },
              label,
              h("small", null, resource.shortNames.join(", ")),
            ),
          ),
        ),
      ),
    ),
  );
}
