import { imageCause } from "../../facts/image-failure.ts";

export const imageShortName = imageCause({
  name: "image-short-name",
  texts:
    /short-name .* did not resolve|unqualified-search registries|invalid reference format|could not parse reference/i,
  explain: ({ image, setImage }) => ({
    sentence: `"${image}" is no complete image name for this runtime: it needs a registry, such as docker.io/library/nginx:1.29`,
    fix: [setImage],
  }),
});
