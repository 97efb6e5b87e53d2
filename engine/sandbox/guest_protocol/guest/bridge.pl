# The guest's end of the bridge to the proxy. It listens on the loopback and carries each connection over its own
# standard streams, which lead out of the sandbox. Who takes it over gains nothing: the proxy decides.
my ( $trusted, $port ) = @ARGV;
$most      = 64;
$introduce = sub { '' };
$write     = sub {
    sysopen my $file, $trusted, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0444 or leave(1);
    print {$file} $_[0] or leave(1);
    close $file or leave(1);
};

binmode $_ for \*STDIN, \*STDOUT;
$SIG{PIPE} = 'IGNORE';
socket my $listener, PF_INET, SOCK_STREAM, 0 or leave(1);
setsockopt $listener, SOL_SOCKET, SO_REUSEADDR, 1;
bind $listener, sockaddr_in( $port, INADDR_LOOPBACK ) or leave(1);
listen $listener, 64 or leave(1);
hear() until $in eq '' && -e $trusted;
send_frame( 'R', 0, 0, '' );
carry($listener);
