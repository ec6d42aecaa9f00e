// node check_page.mjs CHROMIUM URL [SCREENSHOT_FOLDER]: what is wrong with a page, as JSON lines, one a view.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import puppeteer from "puppeteer-core";

const [chromium, url, shots] = process.argv.slice(2);
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const browser = await puppeteer.launch({
  executablePath: chromium,
  args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--disable-background-networking", "--disable-sync"],
});
try {
  for (const width of [1280, 400])
    for (const scheme of ["light", "dark"]) {
      // of its own: the theme remembers the palette of the view before
      const context = await browser.createBrowserContext();
      const page = await context.newPage();
      const complaints = [], requests = [];
      page.on("console", m => ["error", "warn"].includes(m.type()) && complaints.push(m.text()));
      page.on("pageerror", e => complaints.push(String(e)));
      page.on("request", r => /^(https?|wss?):/.test(r.url()) && requests.push(r.url()));
      await page.setViewport({ width, height: 900 });
      await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: scheme }]);
      const start = performance.now();
      await page.goto(url, { waitUntil: "load" });
      const seconds = (performance.now() - start) / 1000;
      // the report itself opens an experiment whose name ends the address
      if (!new URL(url).hash) await (await page.$("details.experiment > summary"))?.click();
      const overflow = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
      await page.setBypassCSP(true);
      await page.evaluate(axe);
      const found = await page.evaluate(() => axe.run(document, { resultTypes: ["violations"], preload: false }));
      const serious = found.violations
        .filter(v => ["serious", "critical"].includes(v.impact))
        .map(v => `${v.id}: ${v.nodes.length}: ${v.nodes[0].html.slice(0, 120)}`);
      if (shots) {
        await page.screenshot({ path: join(shots, `page_${width}_${scheme}_experiment.png`) });
        await page.evaluate(() => scrollTo(0, 0));
        await page.screenshot({ path: join(shots, `page_${width}_${scheme}.png`) });
      }
      console.log(JSON.stringify({ width, scheme, seconds, overflow, complaints, requests, serious }));
      await context.close();
    }
} finally {
  await browser.close();
}
