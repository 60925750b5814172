import { oneLine } from "../../base/text.ts";
import { imageCause } from "../../facts/image-failure.ts";

/** Of the group's causes the last: any other text. */
export const imagePullFailed = imageCause({
  name: "image-pull-failed",
  texts: /(?:)/,
  explain: ({ image, text, setImage }) => {
    const detail = oneLine(text.replace(/^.*desc = /s, ""), 160);
    const rest = detail === "" || /^Back-off pulling image/.test(detail) ? "" : `: ${detail}`;
    return { sentence: `the node cannot pull the image "${image}"${rest}`, fix: [setImage] };
  },
});
