/**
 * The documentation: Swagger UI, a script of its own, shows what the service says of itself.
 *
 * @module docs
 */

/** @type {any} */ (window).SwaggerUIBundle({
  url: "openapi.json",
  dom_id: "#swagger-ui",
  // Links would be inside of buttons, where screen readers do not find them.
  deepLinking: false,
  showCommonExtensions: true,
  onComplete: () => {
    // For screen readers: all of the page lies in landmarks, and no level of headings is left out.
    const about = document.querySelector(".information-container");
    about?.setAttribute("role", "region");
    about?.setAttribute("aria-label", "About the service");
    for (const heading of document.querySelectorAll("h3.opblock-tag, .models h4")) heading.setAttribute("aria-level", "2");
  },
});
