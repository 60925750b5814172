import { imageCause } from "../../facts/image-failure.ts";

export const imageNotFound = imageCause({
  name: "image-not-found",
  texts:
    /: not found\b|manifest unknown|name unknown|404 Not Found|manifest for .* not found|not known to registry/i,
  explain: ({ image, registry, text, setImage }) => {
    const what = /name unknown|not known to registry/i.test(text) ? "repository" : "image";
    return {
      sentence: `the registry ${registry} has no ${what} "${image}" (not found: check name and tag)`,
      fix: [setImage, "# or, if you have built it on this machine: k8ts image load FILE.tar"],
    };
  },
});
