import Markdown from "react-markdown";
import remarkGfm from "remark-gfm";

/**
 * Markdown of a conversation. Raw HTML is not rendered, images are named and
 * not fetched, and only http(s) and mailto links lead anywhere.
 */
export function Words({ text }: { text: string }) {
  return (
    <div className="words">
      <Markdown
        remarkPlugins={[remarkGfm]}
        components={{
          a: ({ href, children }) =>
            href !== undefined && /^(https?:|mailto:)/i.test(href) ? (
              <a href={href} rel="noopener noreferrer" target="_blank">
                {children}
              </a>
            ) : (
              <span>{children}</span>
            ),
          img: ({ alt }) => <span className="image-name">[image: {alt ?? ""}]</span>,
        }}
      >
        {text}
      </Markdown>
    </div>
  );
}
