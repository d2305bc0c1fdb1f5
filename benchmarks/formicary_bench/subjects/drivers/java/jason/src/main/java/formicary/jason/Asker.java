package formicary.jason;

import formicary.lab.Times;
import jason.asSyntax.Term;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** What an agent that asks has to know, and its internal actions for it. */
record Asker(Term partner, Term body, Times times, Runnable finished) {
    /** By the agents' names. */
    static final Map<String, Asker> ALL = new ConcurrentHashMap<>();
}
