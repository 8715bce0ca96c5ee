import { defineConfig, type Plugin } from "vite";

// One file: scripts and styles go into the page, so that it opens from disk with no server beside it.
function oneFile(): Plugin {
  return {
    name: "one-file",
    enforce: "post",
    generateBundle(_options, bundle) {
      const page = Object.values(bundle).find((part) => part.fileName.endsWith(".html"));
      if (!page || page.type !== "asset") throw new Error("no page in the bundle");
      let html = String(page.source);
      for (const part of Object.values(bundle)) {
        if (part.type === "chunk") {
          const tag = new RegExp(`<script[^>]*src="[^"]*${part.fileName}"[^>]*></script>`);
          const code = part.code.replace(/<\/script/g, "<\\/script");
          html = html.replace(tag, () => "");
          html = html.replace("</body>", () => `<script type="module">${code}</script>\n</body>`);
          delete bundle[part.fileName];
        } else if (part.fileName.endsWith(".css")) {
          const tag = new RegExp(`<link[^>]*href="[^"]*${part.fileName}"[^>]*>`);
          html = html.replace(tag, () => `<style>${part.source}</style>`);
          delete bundle[part.fileName];
        }
      }
      page.source = html;
    },
  };
}

export default defineConfig({
  base: "./",
  build: {
    target: "es2022",
    modulePreload: false,
    cssCodeSplit: false,
    assetsInlineLimit: 1 << 20,
    chunkSizeWarningLimit: 2000,
    rollupOptions: { input: "report.html" },
  },
  plugins: [oneFile()],
});
