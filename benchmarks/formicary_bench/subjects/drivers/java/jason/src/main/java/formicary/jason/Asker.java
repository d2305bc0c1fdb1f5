package formicary.jason;

import formicary.lab.Times;
import jason.asSyntax.Term;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** What an agent that asks has to know, and its internal actions for it. */
record Asker(List<Term> partners, Term body, Times times, Runnable finished) {
    /** By the agents' names. */
    static final Map<String, Asker> ALL = new ConcurrentHashMap<>();

    /** Who answers next: one partner after the other, and round. */
    Term partner() {
        return partners.get(times.done() % partners.size());
    }
}
